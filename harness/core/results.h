/* SPDX-License-Identifier: MIT */
/* harness/core/results.h - a run as sinks are given it: finished results, to be rendered and never judged. */
#ifndef BC_CORE_RESULTS_H
#define BC_CORE_RESULTS_H

#include "harness/base/option.h"
#include "harness/core/facts.h"
#include "harness/core/judge.h"

/* One attempt at a case that may run more than once. */
struct bc_attempt {
	enum bc_verdict verdict;
	char message[BC_MESSAGE_MAX];
	double seconds;
};

/* One case on one device, finished. */
struct bc_result {
	const struct bc_case *c;
	struct bc_observation obs;
	struct bc_judgement judged;
	struct bc_bounds bounds;  /* rows point into the run's expectations */
	struct bc_attempt *tries; /* all attempts in their order; none unless the run repeats or retries */
	size_t ntries;
	bool flaky; /* PASS, but not in its first attempt */
};

/* A worker that died or hung, or had to be ended because it talked nonsense. */
struct bc_death {
	char reason[BC_REASON_MAX];	 /* "the worker ended: signal SIGSEGV" */
	char during[2 * BC_ID_MAX + 64]; /* what it had in hand: "64 cases, from async/pipe/1 to async/pipe/64" */
	char events[200];		 /* Xid and ECC events it had told of; "": none */
};

#define BC_INCOMPLETE_MAX 80

/* One device of a run, with its results in the catalogue's order. */
struct bc_device_run {
	struct bc_facts facts;
	struct bc_arch arch;
	char dev[48]; /* "sm_90", "sm_90_cuda1", "reference_sm_90": the class name's middle */
	uint64_t images_hash, expect_hash;
	struct bc_result *results;
	size_t nresults;
	bool complete;			    /* every case of the catalogue was planned and has an observation */
	char incomplete[BC_INCOMPLETE_MAX]; /* why not: "filtered, shard 1/5, deadline"; "": complete, not known */
	char note[400];			    /* said in the report: why counters are absent, throttling ...; "" */
	char state_before[200], state_after[200]; /* clocks, heat, throttling ... of the GPU; "": not known */
	char events[400];	 /* Xid and ECC events that the GPU told of during the run; "": none was seen */
	struct bc_death *deaths; /* all of them, in their order, whatever became of the cases */
	size_t ndeaths;
	char rerun[512]; /* as bc_run.rerun, for this device alone; "": bc_run.rerun is taken */
};

#define BC_RUN_NAME_MAX 64
#define BC_HOST_MAX 64
#define BC_LABELS_MAX 16

/* What a run was told to say of itself: --label KEY=VALUE. */
struct bc_label {
	char key[32];	 /* [a-z][a-z0-9_]* */
	char value[128]; /* not "" */
};

struct bc_run {
	char run_id[64]; /* 20261129T213000Z-host-9f86d081884c7d65: the last are 64 random bits */
	char host[BC_HOST_MAX];
	char host_by[24];	/* what says so: "option", "SLURMD_NODENAME", "NODE_NAME"; "system": gethostname */
	char machine_id[40];	/* a hash of /etc/machine-id (docs/farm.md); "": there is none */
	char slurm_job[32];	/* SLURM_JOB_ID; "": none */
	char slurm_restart[16]; /* SLURM_RESTART_COUNT: how often Slurm has requeued the job; "": none */
	struct bc_label label[BC_LABELS_MAX];
	size_t nlabels;
	char timestamp[32];		 /* 2026-11-29T21:30:00 */
	char run_name[BC_RUN_NAME_MAX];	 /* --run-name: shards of one run have the same; "": none */
	struct bc_option_part shard;	 /* of 0: not sharded */
	uint64_t plan_hash, select_hash; /* of the cases that run; of those that were chosen before it was sharded */
	bool filtered;			 /* not all of the catalogue was chosen */
	uint64_t devices_hash, binary_hash, kernels_hash, expect_hash; /* of the whole run; 0: not known */
	char options[300];  /* given ones that the results depend on, "--witness clock --pack 1"; "": none, not known */
	char commit[64];    /* bankcheck's own: bc_build_commit */
	char built[160];    /* bc_build_with */
	char toolkits[400]; /* what made the folders of images: "CUDA 13.0 by nvcc 13.0.88; CUDA 12.9 by ..."; "": none
			     */
	double seconds;
	char reports_dir[512];
	char rerun[512];  /* head of a command line that runs one case again: "bankcheck run --device cuda:0" */
	bool rerun_whole; /* no case can be run alone: the head is the whole command line */
	struct bc_device_run *devices;
	size_t ndevices;
};

#endif
