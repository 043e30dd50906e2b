/* SPDX-License-Identifier: MIT */
/* harness/app/library/inject.c - libbankcheck-app.so: what the driver loads into a program under `bankcheck app`.
 *
 * CUPTI calls on_call before and after each launch; the lock is held between, so that launches are measured one at a
 * time. Whatever fails here ends measuring, is noted, and never reaches the program.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <link.h>

#include <cuda.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>

#include "harness/app/config.h"
#include "harness/app/library/counting.h"
#include "harness/app/library/graphs.h"
#include "harness/base/clock.h"
#include "harness/base/demangle.h"
#include "harness/base/file.h"
#include "harness/base/textfile.h"
#include "harness/device/cuda/api.h"
#include "harness/device/cuda/facts.h"

#define CONTEXTS 64
#define WRITE_S 0.2 /* the record is written so often at most */
#define EXIT_S 3    /* that the end of the process waits for a launch of another thread */
#define SPIN_S 0.002
#define COMMAND_MAX 400

struct context {
	CUcontext ctx;
	unsigned device;
	struct bc_app_counting *counting; /* NULL: nothing can be counted in it */
};

/* A launch between its two calls. */
struct launch {
	struct context *context;
	size_t kernel;
	CUstream stream;
	double began;			  /* when the program called */
	double opening;			  /* what opening sessions had taken then */
	const struct bc_app_graph *graph; /* with replay: whose kernels are ranges */
	bool measured;
};

static struct {
	pthread_mutex_t lock;
	const struct bc_cuda_api *cu;
	const struct bc_cupti_api *cupti;
	struct bc_app_config config;
	struct bc_app_record record;
	struct bc_app_tally *tally;
	struct bc_app_graphs *graphs;
	signed char *chosen; /* [nchosen] of a kernel of the record: 1, 0, -1: not known yet */
	size_t nchosen;
	struct context context[CONTEXTS];
	size_t ncontexts;
	struct launch launch;
	CUpti_SubscriberHandle subscriber;
	char file[BC_PATH_MAX]; /* name of the record */
	double began, written;
	unsigned captures;  /* streams that are being captured */
	bool over;	    /* measuring has ended */
	bool child;	    /* this is a fork of the process */
	bool exit_arranged; /* at_exit is registered a second time, behind what the driver has registered */
	bool finished;	    /* at_exit has run */
} app = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local bool ours; /* calls of this thread are our own */
static _Thread_local bool held; /* this thread is between the two calls of a launch, with the lock */

static void write_record(void)
{
	struct bc_text text = { 0 };
	struct bc_error err = { .msg = "" };

	bc_app_tally_sum(app.tally);
	if (!bc_app_record_write(&app.record, &text, &err))
		(void)bc_file_replace(&bc_file_system, app.config.dir, app.file, text.data, text.len, &err);
	bc_text_release(&text);
	app.written = bc_now();
}

/* Length of @why without the advice that is for `bankcheck run` alone. */
static size_t without_clock(const char *why)
{
	static const char *const before[] = { ", or ", "; or ", " or ", ": use ", ": " };
	const char *clock = strstr(why, "`--witness clock`"), *injected = strstr(why, ": unset what injects");

	for (size_t i = 0; clock && i < BC_ARRAY_LEN(before); i++) {
		const size_t n = strlen(before[i]);

		if ((size_t)(clock - why) >= n && strncmp(clock - n, before[i], n) == 0) {
			clock -= n;
			break;
		}
	}
	if (injected && (!clock || injected < clock))
		clock = injected; /* it is us */
	return clock ? (size_t)(clock - why) : strlen(why);
}

/* No launch is measured from here on. */
static void end_measuring(const char *why)
{
	app.over = app.record.cut = true;
	bc_app_note(&app.record, "measuring ended: %.*s", (int)without_clock(why), why);
	write_record();
}

static void check(enum bc_status st, const struct bc_error *err)
{
	if (st && !app.over)
		end_measuring(err->msg);
}

/* Wait for what was launched on @stream. Return: false when it is not over in time, or ended in an error: then nothing
 * may be asked of the context any more. */
static bool wait_for(CUstream stream)
{
	const double began = bc_now();
	const struct timespec nap = { .tv_nsec = 50000 };
	CUresult r;

	while ((r = app.cu->cuStreamQuery(stream)) == CUDA_ERROR_NOT_READY) {
		const double waited = bc_now() - began;

		if (app.config.timeout_s && waited > app.config.timeout_s) {
			char why[120];

			(void)snprintf(why, sizeof(why),
				       "a launch was not over after %u s (--timeout); exclude kernels that wait for "
				       "others (--exclude)",
				       app.config.timeout_s);
			end_measuring(why);
			return false;
		}
		if (waited > SPIN_S)
			(void)nanosleep(&nap, NULL);
	}
	if (r != CUDA_SUCCESS) {
		struct bc_error err;

		check(bc_cuda_check(r, "a kernel of the program", NULL, &err), &err);
	}
	return r == CUDA_SUCCESS;
}

static void add_device(CUdevice dev)
{
	struct bc_app_device d = { .index = (unsigned)dev }, *grown;
	struct bc_facts f = { 0 };
	struct bc_error err;

	for (size_t i = 0; i < app.record.ndevices; i++)
		if (app.record.device[i].index == (unsigned)dev)
			return;
	if (bc_cuda_facts(app.cu, (unsigned)dev, &f, &err)) /* it is the n-th of this process */
		bc_app_note(&app.record, "%s", err.msg);
	(void)bc_strlcpy(d.name, f.name, sizeof(d.name));
	(void)bc_strlcpy(d.uuid, f.uuid, sizeof(d.uuid));
	(void)bc_strlcpy(d.arch, f.arch, sizeof(d.arch));
	(void)bc_strlcpy(d.driver, f.driver, sizeof(d.driver));
	(void)bc_strlcpy(d.cuda, f.cuda, sizeof(d.cuda));
	grown = realloc(app.record.device, (app.record.ndevices + 1) * sizeof(*grown));
	if (grown) {
		app.record.device = grown;
		app.record.device[app.record.ndevices++] = d;
	}
}

/* The process's last word. Launches of other threads are waited for, but not for ever. */
static void at_exit(void)
{
	struct timespec until;
	struct bc_error err;
	if (app.child || app.finished)
		return;
	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += EXIT_S;
	if (held || pthread_mutex_timedlock(&app.lock, &until) != 0)
		return; /* the record of some moment ago stays: it has no end */
	ours = true;
	for (size_t i = 0; !app.over && i < app.ncontexts; i++) {
		if (!app.context[i].counting || app.cu->cuCtxSetCurrent(app.context[i].ctx) != CUDA_SUCCESS)
			continue;
		check(bc_app_counting_flush(app.context[i].counting, &err), &err);
	}
	app.record.ended = app.over = app.finished = true;
	write_record();
	(void)pthread_mutex_unlock(&app.lock);
}

static void in_child(void)
{
	app.child = app.over = true;
}

/* What CUPTI gives with a call: its arguments, in their order. (CUDA's own generated_cuda_meta.h, which has them all,
 * does not compile beside cuda.h as programs use it.) */
struct launch_arguments { /* cuLaunchKernel, cuLaunchCooperativeKernel */
	CUfunction f;
	unsigned grid[3], block[3], shared_bytes;
	CUstream stream;
};

struct launch_ex_arguments { /* cuLaunchKernelEx */
	const CUlaunchConfig *config;
};

struct graph_launch_arguments {
	CUgraphExec graph;
	CUstream stream;
};

struct instantiate_arguments { /* all forms of cuGraphInstantiate begin with these */
	CUgraphExec *exec;
	CUgraph graph;
};

/* The context's counters, opened when it first launches. NULL: none. */
static struct context *context_of(CUcontext ctx, CUdevice dev)
{
	const double began = bc_now();
	const struct bc_app_counting_to to = {
		.cu = app.cu, .cupti = app.cupti, .config = &app.config, .tally = app.tally, .record = &app.record
	};
	struct context *c;
	struct bc_error err;

	for (size_t i = 0; i < app.ncontexts; i++)
		if (app.context[i].ctx == ctx)
			return &app.context[i];
	if (app.ncontexts == CONTEXTS) {
		bc_app_note(&app.record, "only the first %d contexts are measured", CONTEXTS);
		return NULL;
	}
	/* After what the driver has registered, so that it runs before. */
	if (!app.exit_arranged)
		app.exit_arranged = atexit(at_exit) == 0;
	c = &app.context[app.ncontexts++];
	*c = (struct context){ .ctx = ctx, .device = (unsigned)dev };
	add_device(dev);
	if (bc_app_counting_open(&to, ctx, (unsigned)dev, &c->counting, &err))
		bc_app_note(&app.record, "no counters: %.*s", (int)without_clock(err.msg), err.msg);
	app.record.start_us += (uint64_t)((bc_now() - began) * 1e6);
	return c;
}

static void forget_context(CUcontext ctx)
{
	struct bc_error err;

	for (size_t i = 0; i < app.ncontexts; i++) {
		struct context *c = &app.context[i];

		if (c->ctx != ctx)
			continue;
		if (c->counting && !app.over)
			check(bc_app_counting_flush(c->counting, &err), &err);
		bc_app_counting_close(c->counting, app.over);
		*c = app.context[--app.ncontexts];
		return;
	}
}

/* A call of the program that launches something. */
struct call {
	const char *name;
	struct bc_app_kernel what; /* device, kind, grid, block, shared memory */
	CUstream stream;
	CUgraphExec graph;
};

static void set_shape(struct call *c, const unsigned grid[3], const unsigned block[3], unsigned shared)
{
	memcpy(c->what.grid, grid, sizeof(c->what.grid));
	memcpy(c->what.block, block, sizeof(c->what.block));
	c->what.shared_bytes = shared;
}

/* A launch of @cbid. False: it is another call. @per_thread: stream 0 is the thread's own. */
static bool read_launch(CUpti_CallbackId cbid, const CUpti_CallbackData *d, struct call *c, bool *per_thread)
{
	*c = (struct call){ .name = d->symbolName ? d->symbolName : "(a kernel without a name)" };
	*per_thread = false;
	switch (cbid) {
	case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
	case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: *per_thread = true; /* fall through */
	case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
	case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel: {
		const struct launch_arguments *p = d->functionParams;

		set_shape(c, p->grid, p->block, p->shared_bytes);
		c->stream = p->stream;
		return true;
	}
	case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: *per_thread = true; /* fall through */
	case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx: {
		const CUlaunchConfig *p = ((const struct launch_ex_arguments *)d->functionParams)->config;
		const unsigned grid[3] = { p->gridDimX, p->gridDimY, p->gridDimZ };
		const unsigned block[3] = { p->blockDimX, p->blockDimY, p->blockDimZ };

		set_shape(c, grid, block, p->sharedMemBytes);
		c->stream = p->hStream;
		return true;
	}
	case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz: *per_thread = true; /* fall through */
	case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch: {
		const struct graph_launch_arguments *p = d->functionParams;

		c->what.kind = BC_APP_GRAPH;
		c->name = "graph";
		c->graph = p->graph;
		c->stream = p->stream;
		return true;
	}
	default: return false;
	}
}

/* Is kernel @index one that is to be measured? Its name is looked at once. */
static bool is_chosen(size_t index)
{
	const char *mangled = app.record.kernel[index].name;
	char *name;

	if (index >= app.nchosen) {
		const size_t n = (index + 1) * 2;
		signed char *grown = realloc(app.chosen, n);

		if (!grown)
			return false;
		memset(grown + app.nchosen, -1, n - app.nchosen);
		app.chosen = grown;
		app.nchosen = n;
	}
	if (app.chosen[index] < 0) {
		name = bc_demangle(mangled);
		app.chosen[index] = name && bc_app_chosen(&app.config, mangled, name);
		free(name);
	}
	return app.chosen[index] == 1;
}

/* A launch that is captured does not run: it becomes part of a graph. While any stream is being captured nothing may be
 * asked of the profiler, for that would make the capture invalid. */
static bool is_captured(const struct call *c)
{
	CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;

	return app.captures || (!app.over && (app.cu->cuStreamIsCapturing(c->stream, &capturing) != CUDA_SUCCESS ||
					      capturing != CU_STREAM_CAPTURE_STATUS_NONE));
}

/* Why a launch passes untouched; NULL: it is to be measured. */
static const char *why_not(const struct call *c, size_t kernel)
{
	if (!is_chosen(kernel))
		return "excluded";
	if (app.over)
		return "measuring had ended";
	if (app.config.deadline_s && bc_now() - app.began > app.config.deadline_s)
		return "after --deadline";
	if (app.config.replay && c->graph && !app.config.split_graphs)
		return "a graph, with --replay (--graphs split)";
	return NULL;
}

/* With replay the kernels of a graph are launches of their own in the record. */
static enum bc_status begin(struct launch *l, const struct call *c, struct bc_error *err)
{
	l->graph = app.config.replay && c->graph ? bc_app_graphs_find(app.graphs, c->graph) : NULL;
	l->measured = l->graph != NULL;
	if (app.config.replay && c->graph)
		return l->graph ? bc_app_counting_begin_graph(l->context->counting, err) : BC_OK;
	return bc_app_counting_begin(l->context->counting, l->kernel, &l->measured, err);
}

/* A GPU counts for one context at a time. */
static void rest_others(const struct context *c)
{
	struct bc_error err = { .msg = "" };

	for (size_t i = 0; !app.over && i < app.ncontexts; i++) {
		struct context *other = &app.context[i];

		if (other == c || other->device != c->device || !other->counting ||
		    !bc_app_counting_is_enabled(other->counting))
			continue;
		check(bc_cuda_check(app.cu->cuCtxSetCurrent(other->ctx), "cuCtxSetCurrent", NULL, &err), &err);
		if (!app.over)
			check(bc_app_counting_rest(other->counting, &err), &err);
		(void)app.cu->cuCtxSetCurrent(c->ctx);
	}
}

static void before_launch(const CUpti_CallbackData *d, struct call *c)
{
	struct launch *l = &app.launch;
	struct bc_error err = { .msg = "" };
	const char *why;
	CUdevice dev = 0;

	*l = (struct launch){ .began = bc_now(), .stream = c->stream };
	if (c->graph) {
		const struct bc_app_graph *g = bc_app_graphs_find(app.graphs, c->graph);

		c->name = g ? g->name : c->name;
	}
	if (is_captured(c)) {
		bc_app_leave(&app.record, "captured into a graph, or while another stream was");
		return;
	}
	if (!app.over && app.cu->cuCtxGetDevice(&dev) != CUDA_SUCCESS)
		dev = 0;
	c->what.device = (unsigned)dev;
	if (bc_app_tally_launch(app.tally, &c->what, c->name, &l->kernel, &err)) {
		check(BC_ENOMEM, &err);
		return;
	}
	why = why_not(c, l->kernel);
	if (!why) {
		l->context = context_of(d->context, dev);
		if (!l->context || !l->context->counting)
			why = "no counters";
	}
	if (why) {
		bc_app_leave(&app.record, why);
		for (size_t i = 0; !app.over && i < app.ncontexts; i++)
			if (app.context[i].ctx == d->context && app.context[i].counting)
				check(bc_app_counting_pass(app.context[i].counting, &err), &err);
		l->context = NULL;
		return;
	}
	l->opening = bc_app_counting_opening(l->context->counting);
	rest_others(l->context);
	if (!app.over)
		check(begin(l, c, &err), &err);
	if (!l->measured || app.over)
		bc_app_leave(&app.record, app.over ? "measuring had ended" : "not of the sample (--sample)");
	if (app.over)
		l->measured = false;
}

/* The kernels of a launched graph, each counted as a launch. */
static enum bc_status end_graph(const struct launch *l, struct bc_error *err)
{
	const struct bc_app_graph *g = l->graph;
	size_t *kernel = malloc((g->n + 1) * sizeof(*kernel));
	enum bc_status st = kernel ? BC_OK : bc_fail(err, BC_ENOMEM, "out of memory");

	for (size_t i = 0; !st && i < g->n; i++) {
		struct bc_app_kernel k = g->kernel[i];

		k.device = app.record.kernel[l->kernel].device;
		st = bc_app_tally_launch(app.tally, &k, g->kernel[i].name, &kernel[i], err);
	}
	if (!st)
		st = bc_app_counting_end_graph(l->context->counting, kernel, g->n, err);
	if (st == BC_EDATA) { /* nothing is lost but this launch */
		bc_app_note(&app.record, "%s", err->msg);
		bc_app_leave(&app.record, "a graph whose kernels are not known");
		st = BC_OK;
	}
	free(kernel);
	return st;
}

static void after_launch(const CUpti_CallbackData *d)
{
	struct launch *l = &app.launch;
	const CUresult *result = d->functionReturnValue;
	const bool refused = result && *result != CUDA_SUCCESS;
	struct bc_error err = { .msg = "" };
	const uint64_t sessions = app.record.sessions;
	double opening;

	if (!l->measured || app.over)
		return;
	if (!refused && !wait_for(l->stream))
		return;
	if (l->graph)
		check(end_graph(l, &err), &err);
	else
		check(bc_app_counting_end(l->context->counting, l->kernel, refused, &err), &err);
	app.record.measured += !refused;
	opening = bc_app_counting_opening(l->context->counting) - l->opening;
	app.record.start_us += (uint64_t)(opening * 1e6);
	app.record.extra_us += (uint64_t)((bc_now() - l->began - opening) * 1e6);
	if (app.record.sessions > sessions && bc_now() - app.written > WRITE_S)
		write_record();
}

static bool on_launch(CUpti_CallbackId cbid, const CUpti_CallbackData *d)
{
	struct call c;
	bool per_thread;

	if (d->callbackSite == CUPTI_API_ENTER) {
		if (held || !read_launch(cbid, d, &c, &per_thread))
			return false;
		if (per_thread && !c.stream)
			c.stream = CU_STREAM_PER_THREAD;
		(void)pthread_mutex_lock(&app.lock);
		held = true;
		before_launch(d, &c);
		return true;
	}
	if (!held || !read_launch(cbid, d, &c, &per_thread))
		return false;
	after_launch(d);
	held = false;
	(void)pthread_mutex_unlock(&app.lock);
	return true;
}

/* The driver cuts a graph into kernels that are counted one by one only if a profiler is at work when it is made. */
static void wake(CUcontext ctx)
{
	struct bc_error err = { .msg = "" };
	struct context *c;
	CUdevice dev = 0;

	if (app.over || app.cu->cuCtxGetDevice(&dev) != CUDA_SUCCESS)
		return;
	c = context_of(ctx, dev);
	if (!c || !c->counting)
		return;
	rest_others(c);
	if (!app.over)
		check(bc_app_counting_begin_graph(c->counting, &err), &err);
}

/* Captures that begin and end, and graphs that are made. */
static void on_other(CUpti_CallbackId cbid, const CUpti_CallbackData *d)
{
	const CUresult *result = d->functionReturnValue;

	if (held)
		return;
	(void)pthread_mutex_lock(&app.lock);
	switch (cbid) {
	case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture:
	case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz:
	case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2:
	case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz:
	case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph:
	case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz:
		if (d->callbackSite == CUPTI_API_ENTER && !app.captures && app.config.split_graphs)
			wake(d->context);
		/* from before the call on: it may not be disturbed */
		app.captures += d->callbackSite == CUPTI_API_ENTER;
		app.captures -= d->callbackSite == CUPTI_API_EXIT && result && *result != CUDA_SUCCESS;
		break;
	case CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture:
	case CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz:
		app.captures -= d->callbackSite == CUPTI_API_EXIT && app.captures;
		break;
	case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate:
	case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate_v2:
	case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags:
	case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams:
	case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams_ptsz:
		if (d->callbackSite == CUPTI_API_EXIT && result && *result == CUDA_SUCCESS) {
			const struct instantiate_arguments *p = d->functionParams;

			bc_app_graphs_add(app.graphs, *p->exec, p->graph);
		}
		break;
	case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice:
		if (d->callbackSite == CUPTI_API_ENTER)
			bc_app_leave(&app.record, "one launch on several devices");
		break;
	default: break;
	}
	(void)pthread_mutex_unlock(&app.lock);
}

static void CUPTIAPI on_call(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const void *data)
{
	const int saved = errno;

	(void)user;
	if (ours || app.child)
		return;
	ours = true;
	if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
		const CUpti_ResourceData *r = data;

		if (cbid == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING && !held) {
			(void)pthread_mutex_lock(&app.lock);
			forget_context(r->context);
			(void)pthread_mutex_unlock(&app.lock);
		}
	} else if (domain == CUPTI_CB_DOMAIN_DRIVER_API && !on_launch(cbid, data)) {
		on_other(cbid, data);
	}
	ours = false;
	errno = saved;
}

static const CUpti_CallbackId driver_calls[] = {
	CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
	CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
	CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
	CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
	CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
	CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
	CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice,
	CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
	CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
	CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture,
	CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz,
	CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2,
	CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz,
	CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph,
	CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz,
	CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture,
	CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz,
	CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate,
	CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate_v2,
	CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags,
	CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams,
	CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams_ptsz,
};

/* The libcupti that the process holds already: two in one process do not work. */
static int held_cupti(struct dl_phdr_info *info, size_t size, void *path)
{
	const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

	(void)size;
	if (!slash || strncmp(slash + 1, "libcupti.so", 11) != 0)
		return 0;
	(void)bc_strlcpy(path, info->dlpi_name, BC_PATH_MAX);
	return 1;
}

static enum bc_status subscribe(struct bc_error *err)
{
	enum bc_status st =
		bc_cupti_check(app.cupti->cuptiSubscribe(&app.subscriber, on_call, NULL), "cuptiSubscribe", err);

	for (size_t i = 0; !st && i < BC_ARRAY_LEN(driver_calls); i++)
		st = bc_cupti_check(
			app.cupti->cuptiEnableCallback(1, app.subscriber, CUPTI_CB_DOMAIN_DRIVER_API, driver_calls[i]),
			"cuptiEnableCallback", err);
	if (!st)
		st = bc_cupti_check(app.cupti->cuptiEnableCallback(1, app.subscriber, CUPTI_CB_DOMAIN_RESOURCE,
								   CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING),
				    "cuptiEnableCallback", err);
	return st;
}

/* The program's command line, its arguments divided by blanks. */
static char *command_line(void)
{
	char buf[COMMAND_MAX];
	FILE *f = fopen("/proc/self/cmdline", "re");
	size_t n = f ? fread(buf, 1, sizeof(buf) - 1, f) : 0;

	if (f)
		(void)fclose(f);
	while (n && !buf[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!buf[i])
			buf[i] = ' ';
	buf[n] = '\0';
	return strdup(buf);
}

static enum bc_status set_up(const char *config, struct bc_error *err)
{
	static char dir[BC_PATH_MAX], cupti[BC_PATH_MAX];
	char *slash;
	enum bc_status st = bc_app_config_read(config, &app.config, err);

	if (st)
		return st;
	(void)bc_strlcpy(dir, config, sizeof(dir));
	slash = strrchr(dir, '/');
	if (!slash)
		return bc_fail(err, BC_EUSAGE, BC_APP_ENVIRONMENT "=%s: not a path", config);
	*slash = '\0';
	app.config.dir = dir;
	app.record.pid = (long)getpid();
	app.record.command = command_line();
	app.began = bc_now();
	(void)snprintf(app.file, sizeof(app.file), "%ld-%lld.record", app.record.pid, (long long)time(NULL));
	app.tally = bc_app_tally_open(&app.record, app.config.sample);
	if (!app.tally)
		return bc_fail(err, BC_ENOMEM, "out of memory");
	st = bc_cuda_api_open(&app.cu, err);
	if (!st) {
		app.graphs = bc_app_graphs_open(app.cu);
		if (!app.graphs)
			st = bc_fail(err, BC_ENOMEM, "out of memory");
	}
	if (!st) {
		const bool holds = dl_iterate_phdr(held_cupti, cupti) != 0;

		if (holds && app.config.cupti)
			bc_app_note(&app.record, "the program's own libcupti was used, not --cupti");
		st = bc_cupti_api_open(holds ? cupti : app.config.cupti, &app.cupti, err);
	}
	return st ? st : subscribe(err);
}

/* Called by the driver while the program initialises it. */
__attribute__((visibility("default"))) int InitializeInjection(void);

int InitializeInjection(void)
{
	const char *config = getenv(BC_APP_ENVIRONMENT);
	const double began = bc_now();
	struct bc_error err = { .msg = "" };

	if (!config || app.tally)
		return 1;
	ours = true;
	if (set_up(config, &err) && app.tally)
		end_measuring(err.msg);
	(void)pthread_atfork(NULL, NULL, in_child);
	(void)atexit(at_exit);
	app.record.start_us = (uint64_t)((bc_now() - began) * 1e6);
	if (app.tally)
		write_record(); /* the process was here, whatever becomes of it */
	ours = false;
	return 1;
}
