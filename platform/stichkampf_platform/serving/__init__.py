"""The HTTP server of the site, with limits on what one visitor and all visitors together may occupy.

connections     one visitor's connection: time for a request to arrive, number of connections
endable_tasks   work that ends when its visitor leaves or its time is over
request_slots   a fixed number of requests is answered at once; further ones wait a while
shared_answers  requests for the same page that get one answer together
fair_slots      slots of which the greediest address gives one up
private_pages   what a proxy and a browser may keep
request_counts  counts of requests, kept by each process
request_size    the size of a request
odd_values      values that no form or serializer foresees
addresses       the network address of a visitor
trusted_proxies proxies that name a visitor's address
site            Django behind these slots, as an ASGI application
streaming       long answers that are made while they are sent
"""
