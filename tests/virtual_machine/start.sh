#!/bin/busybox sh
# The first program in the virtual machine: put the host's files, read-only, below a layer in memory, and go on in them.
busybox mkdir -p /proc /sys /dev /host /layer /merged
busybox mount -t proc proc /proc
busybox mount -t sysfs sys /sys
busybox mount -t devtmpfs dev /dev
while read -r module; do busybox insmod "/modules/$module"; done </modules/order
busybox mount -t virtiofs -o ro host /host
busybox mount -t tmpfs -o size=75% layer /layer
busybox mkdir /layer/changed /layer/work
busybox mount -t overlay -o lowerdir=/host,upperdir=/layer/changed,workdir=/layer/work overlay /merged
for folder in proc sys dev; do busybox mount --move "/$folder" "/merged/$folder"; done
busybox cp /run-in-machine /merged/run-in-machine
exec busybox switch_root /merged /bin/sh /run-in-machine
