#!/bin/sh
# SPDX-License-Identifier: MIT
# worker.sh MODE BAD LOG ... - a worker that speaks the protocol (harness/run/worker.h) and measures nothing.
#
# BAD is a shell pattern of case ids: when one of them is to be measured, MODE says what goes wrong. LOG gets a line at
# each start and one for each case asked for. Arguments after these are ignored.
mode=$1 bad=$2 log=$3 three=3 batch=
values="attempts=0	clock_wavefronts=0	clock_value=0	nsamples=0	seconds=0"
capacities="optin_bytes=${OPTIN:-232448}	sm_bytes=0	reserved_bytes=0	static_bytes=0	sms=1	clock_khz=0	memory_clock_khz=0	ecc=0"

say()
{
	printf '%s\n' "$1" >&4
}

# A case that is measured: right data, and the clock reads the wavefronts of the invented suites.
good()
{
	case $1 in
	alpha/*/2) ways=2 ;;
	alpha/*/32) ways=32 ;;
	*) ways=1 ;;
	esac
	say "obs	id=$1	outcome=0	data_checked=1	data_ok=1	clock_has=1	attempts=0	clock_wavefronts=${ways}000000000	clock_value=0	nsamples=0	seconds=0"
}

go_wrong()
{
	case $mode in
	crash | late | cupti_*) kill -SEGV $$ ;;
	exit) exit 3 ;;
	quit) exit 0 ;;
	hang) exec sleep 60 ;;
	failed)
		say "failed	why=cudaDeviceSynchronize: cudaErrorIllegalAddress: $1"
		exit 1
		;;
	dead)
		say "failed	lost=1	why=cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700): $1	events=Xid 31"
		exit 1
		;;
	failed_hangs)
		say "failed	why=sticky: $1"
		exec sleep 60
		;;
	words) say "Segmentation fault (core dumped)" ;;
	tabs) say "obs		id=$1" ;;
	endless) head -c 400000 /dev/zero | tr '\0' x >&4 ;;
	early) say "done" ;;
	stranger) good "not/a/case" ;;
	twice)
		good "$1"
		good "$1"
		;;
	torn) say "obs	id=$1	outcome=0	data_checked=1" ;;
	slow)
		sleep 0.4
		good "$1"
		return
		;;
	broken)
		say "obs	id=$1	outcome=2	reason=no kernel	$values"
		return
		;;
	esac
	sleep 5 # the parent ends it before
	exit 9
}

# The library is called when the device is opened (mode cupti_open_...) or at the first session (cupti_first_...).
in_profiler()
{
	case $mode in cupti_"$1"_*) ;; *) return ;; esac
	say "profiler	in=1"
	case $mode in
	*_segv) kill -SEGV $$ ;;
	*_abort) kill -ABRT $$ ;;
	*_exit) exit 1 ;;
	*_kill) kill -KILL $$ ;;
	*_hang) exec sleep 60 ;;
	*_says) say "failed	lost=1	why=cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700)" && exit 1 ;;
	esac
	say "profiler	in=0"
}

measure()
{
	case $opened in *counters_off=*) ;; *) in_profiler first ;; esac
	# late: nothing is sent before the whole batch is measured
	for id in $batch; do
		# shellcheck disable=SC2254 # BAD is a pattern
		[ "$mode" = late ] && case $id in $bad) go_wrong "$id" ;; esac
	done
	for id in $batch; do
		echo "$id" >>"$log"
		# shellcheck disable=SC2254 # BAD is a pattern
		case $id in
		$bad) go_wrong "$id" ;;
		*) good "$id" ;;
		esac
	done
	batch=
	[ "$mode" = events ] && say "done	events=Xid 63" && return
	# the second is the beginning of the first
	[ "$mode" = prefix ] && say "done	events=Xid 6$three" && three="" && return
	say "done"
}

echo start >>"$log"
while IFS= read -r line <&3; do
	case $line in
	list)
		case $mode in
		nolist) exit 1 ;;
		listhang) exec sleep 60 ;;
		nogpu) say "listed	why=no driver" ;;
		*)
			say "device	kind=0	index=0	arch=sm_00	name=Invented GPU	$capacities"
			say "device	kind=0	index=1	arch=sm_12	name=Newer GPU	$capacities"
			say "listed"
			;;
		esac
		;;
	open*)
		[ "$mode" = noopen ] && say "failed	why=cuInit: CUDA_ERROR_NO_DEVICE" && exit 1
		[ "$mode" = openhang ] && exec sleep 60
		# a profiler's library that does not refuse: it crashes, hangs or is shot when it is called, unless it is left alone
		case $line in *counters_off=*) echo "without counters" >>"$log" ;; *) in_profiler open ;; esac
		[ "$mode" = opendies ] && kill -KILL $$
		[ "$mode" = opendies1 ] && [ "$(grep -c start "$log")" = 1 ] && kill -KILL $$
		# a device that can be opened once
		[ "$mode" = once ] && [ "$(grep -c start "$log")" -gt 1 ] && say "failed	why=it fell off the bus" && exit 1
		[ "$mode" = once ] && mode=crash
		opened=$line
		absent=${line##*counters_off=}
		case $line in *counters_off=*) absent="counters_absent=${absent%%	*}	" ;; *) absent="" ;; esac
		say "opened	kind=0	index=0	arch=sm_00	name=Invented GPU	driver=1.0	${absent}$capacities	images_hash=abcd"
		;;
	case*) batch="$batch ${line#case?id=}" ;;
	measure) measure ;;
	esac
done
