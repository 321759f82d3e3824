#!/bin/busybox sh
# The first program in the virtual machine: put the host's files, read-only, below a layer in memory, and go on in them.
busybox mkdir -p /proc /sys /dev /host /layer /root
busybox mount -t proc proc /proc
busybox mount -t sysfs sys /sys
busybox mount -t devtmpfs dev /dev
while read -r module; do busybox insmod "/modules/$module"; done </modules/order
busybox mount -t virtiofs -o ro host /host
busybox mount -t tmpfs -o size=75% layer /layer
busybox mkdir /layer/changed /layer/work
busybox mount -t overlay -o lowerdir=/host,upperdir=/layer/changed,workdir=/layer/work overlay /root
for folder in proc sys dev; do busybox mount --move "/$folder" "/root/$folder"; done
busybox cp /run-in-machine /root/run-in-machine
exec busybox switch_root /root /bin/sh /run-in-machine
