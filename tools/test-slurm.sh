#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/test-slurm.sh [--nodes FILE] FOLDER COMMAND [ARGUMENT...] - a Slurm of one machine, for as long as COMMAND runs.
#
# Each node is a slurmd of this host with a name, a feature and GPUs of its own (they are /dev/null: jobs see them by
# CUDA_VISIBLE_DEVICES, no program can use them). FILE has a line a node: name, GPUs, architecture. FOLDER is made anew
# and keeps the logs. Nothing of the machine is changed but what apt-get installs. COMMAND runs with SLURM_CONF, so that
# sbatch and its like talk to this Slurm, and with FARM, which is FOLDER.
#
# Needs root (munged and slurmd keep to their user) and slurmctld, slurmd, munge, which it installs with apt-get where
# it may. Exit status: COMMAND's; 77 where a Slurm cannot be had, with the reason; 1 when it does not start.
set -eu

say()
{
	echo "test-slurm: $1" >&2
}

skip()
{
	say "skipped: $1"
	exit 77
}

nodes=""
if [ "${1:-}" = --nodes ]; then
	nodes=${2:?--nodes takes a file}
	shift 2
fi
[ $# -ge 2 ] || {
	echo "usage: $0 [--nodes FILE] FOLDER COMMAND [ARGUMENT...]" >&2
	exit 3
}

# The daemons must be root's; sudo without a password will do.
if [ "$(id -u)" != 0 ]; then
	sudo -n true 2>/dev/null || skip "a Slurm of its own needs root, or sudo without a password"
	exec sudo -n env "PATH=$PATH" "$0" ${nodes:+--nodes "$nodes"} "$@"
fi

PATH=$PATH:/usr/sbin:/sbin
missing=""
for tool in slurmctld slurmd munged sbatch; do
	command -v "$tool" >/dev/null || missing="$missing $tool"
done
if [ -n "$missing" ]; then
	command -v apt-get >/dev/null || skip "no$missing here, and no apt-get to install them with"
	{
		apt-get update
		# No daemon of the machine's own is to start.
		DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y --no-install-recommends \
			slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge
	} >/dev/null 2>&1 || skip "apt-get could not install slurmctld, slurmd and munge (no network?)"
fi

mkdir -p "$1"
farm=$(cd "$1" && pwd)
shift
rm -rf "$farm"
mkdir -p "$farm/run" "$farm/spool" "$farm/state" "$farm/log" "$farm/dev"
chmod 755 "$farm/run" # munge wants its socket where others may look
if [ -z "$nodes" ]; then
	nodes=$farm/nodes
	printf '%s\n' 'a80-1 2 sm_80' 'a80-2 2 sm_80' 'h90-1 2 sm_90' 'h90-2 2 sm_90' 'h90-3 2 sm_90' >"$nodes"
fi
export SLURM_CONF="$farm/slurm.conf" FARM="$farm"
# A job that this one runs in is none of the new Slurm's business.
for name in $(env | sed -n 's/^\(SLURM[A-Z]*_[A-Z_0-9]*\)=.*/\1/p; s/^\(SBATCH_[A-Z_]*\)=.*/\1/p'); do
	[ "$name" = SLURM_CONF ] || unset "$name"
done

# free_port: one that nobody listens at, from $port on
port=$((30000 + $$ % 20000))
free_port()
{
	while :; do
		port=$((port + 1))
		hex=$(printf '%04X' "$port")
		cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q ":$hex [0-9A-F]*:0000 0A" || return 0
	done
}

# Slurm's own words for what a node is; a node's GPUs are character devices, which gres.conf asks for.
configure()
{
	host=$(hostname)
	free_port
	cat >"$SLURM_CONF" <<-CONF
		ClusterName=farm
		SlurmctldHost=$host(127.0.0.1)
		SlurmUser=root
		SlurmdUser=root
		AuthType=auth/munge
		AuthInfo=socket=$farm/run/munge.sock
		CredType=cred/munge
		SlurmctldPort=$port
		SlurmctldPidFile=$farm/run/slurmctld.pid
		SlurmdPidFile=$farm/run/slurmd.%n.pid
		SlurmdSpoolDir=$farm/spool/%n
		StateSaveLocation=$farm/state
		SlurmctldLogFile=$farm/log/slurmctld.log
		SlurmdLogFile=$farm/log/slurmd.%n.log
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		MpiDefault=none
		SwitchType=switch/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		SchedulerType=sched/backfill
		SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0,sched_min_interval=0
		SlurmdParameters=config_overrides
		GresTypes=gpu
		ReturnToService=2
		SlurmdTimeout=10
		SlurmctldTimeout=10
		KillWait=5
		MinJobAge=3600
		JobRequeue=1
		JobCompType=jobcomp/filetxt
		JobCompLoc=$farm/log/jobcomp.txt
	CONF
	[ -z "${SLURM_CONF_EXTRA:-}" ] || printf '%s\n' "$SLURM_CONF_EXTRA" >>"$SLURM_CONF"
	while read -r name gpus arch; do
		free_port
		echo "NodeName=$name NodeHostname=$host NodeAddr=127.0.0.1 Port=$port CPUs=1 RealMemory=1000" \
			"Feature=$arch Gres=gpu:$arch:$gpus" >>"$SLURM_CONF"
		echo "NodeName=$name Name=gpu Type=$arch File=$farm/dev/$name.gpu[0-$((gpus - 1))]" >>"$farm/gres.conf"
		i=0
		while [ "$i" -lt "$gpus" ]; do
			mknod "$farm/dev/$name.gpu$i" c 1 3 || return 1
			i=$((i + 1))
		done
	done <"$nodes"
	echo "PartitionName=gpus Nodes=ALL Default=YES MaxTime=INFINITE State=UP" >>"$SLURM_CONF"
}

# daemons: the processes of this Slurm that are there, and those of its jobs
daemons()
{
	for at in /proc/[0-9]*; do
		[ "$at" != "/proc/$$" ] || continue
		case $(tr '\0' ' ' 2>/dev/null <"$at/cmdline") in
		slurmstepd:* | *slurmd\ * | slurmctld\ * | munged\ *)
			tr '\0' '\n' 2>/dev/null <"$at/environ" | grep -qx "SLURM_CONF=$SLURM_CONF" || continue
			echo "${at#/proc/}"
			;;
		esac
	done
}

# stop: every daemon that was started, by its id, and what jobs are still there below a slurmstepd
stop()
{
	status=$?
	trap - EXIT INT TERM
	for pid in "$farm"/run/slurmd.*.pid "$farm/run/slurmctld.pid" "$farm/run/munged.pid"; do
		[ ! -s "$pid" ] || kill "$(cat "$pid")" 2>/dev/null || :
	done
	tries=0
	while [ "$tries" -lt 10 ] && daemons | grep -q .; do
		tries=$((tries + 1))
		sleep 0.2
	done
	# A slurmstepd outlives its slurmd. Those of this Slurm know its configuration.
	for pid in $(daemons); do
		kill_tree "$pid"
	done
	exit "$status"
}

# kill_tree PID: it and all below it
kill_tree()
{
	# shellcheck disable=SC2013 # numbers, in one line
	for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
		kill_tree "$child"
	done
	kill -KILL "$1" 2>/dev/null || :
}

configure || skip "mknod: a GPU of the test is a character device, which may not be made in $farm"
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
head -c 1024 /dev/urandom >"$farm/munge.key"
chmod 400 "$farm/munge.key"
munged --force --key-file="$farm/munge.key" --socket="$farm/run/munge.sock" --pid-file="$farm/run/munged.pid" \
	--log-file="$farm/log/munged.log" --seed-file="$farm/run/munge.seed" >"$farm/log/munged.out" 2>&1 || {
	cat "$farm/log/munged.out" >&2
	say "munged does not start"
	exit 1
}
slurmctld -f "$SLURM_CONF"

# A name of its own for each node's host, where the kernel lets us.
named=""
unshare --uts true 2>/dev/null && named="unshare --uts"
while read -r name gpus arch; do
	if [ -n "$named" ]; then
		# shellcheck disable=SC2016 # the inner shell's own $
		unshare --uts sh -c 'hostname "$1" && exec slurmd -f "$0" -N "$1"' "$SLURM_CONF" "$name"
	else
		slurmd -f "$SLURM_CONF" -N "$name"
	fi
done <"$nodes"

want=$(grep -c . "$nodes")
tries=0
until [ "$(sinfo -h -t idle -o %D 2>/dev/null | awk '{ n += $1 } END { print n + 0 }')" = "$want" ]; do
	tries=$((tries + 1))
	[ "$tries" -lt 300 ] || {
		sinfo -N -l >&2 || :
		tail -n 5 "$farm"/log/slurm*.log >&2
		say "not all nodes came up in a minute"
		exit 1
	}
	sleep 0.2
done

"$@"
