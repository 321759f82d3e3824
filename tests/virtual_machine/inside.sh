# The second program in the virtual machine: control groups of version 2 alone, then the command of this run.
# Started with the environment variables CHECKOUT and COMMAND.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs -o mode=1777 shm /dev/shm
ip link set lo up
echo virtual-machine >/proc/sys/kernel/hostname
# A group that holds processes cannot hand controllers down: this shell moves into one of its own.
mkdir /sys/fs/cgroup/machine
echo $$ >/sys/fs/cgroup/machine/cgroup.procs
echo "+cpu +memory +pids" >/sys/fs/cgroup/cgroup.subtree_control
cd "$CHECKOUT"
uname -srv
sh -c "$COMMAND"
echo "exit status in the virtual machine: $?"
sync
echo o >/proc/sysrq-trigger
sleep 60
