/* SPDX-License-Identifier: MIT */
/* harness/tests/stubs/app_program.c - a CUDA program for tests of `bankcheck app`. Its arguments are done in turn:
 *
 *	NAME:N      launch kernel NAME N times (app_cuda.c: what the name means)
 *	refused     a launch that the driver refuses
 *	capture:NAME  capture two launches of NAME and make a graph of them; the program says when the capture failed
 *	graph:N     launch that graph N times
 *	threads:N   N threads that launch clean kernels, 40 each
 *	fork        a child that launches and ends by exit
 *	spawn       the program again, in a child, with clean:2
 *	context     another context
 *	gpu         the second GPU
 *	destroy     the context ends
 *	status:N    end with status N        _exit:N     ... without exit handlers
 *	kill        end by SIGKILL
 */
#include <cuda.h>

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 8

static CUcontext context;
static CUgraphExec graph;
static const char *self;

static void launch(const char *name, unsigned grid)
{
	CUmodule module;
	CUfunction f;

	(void)cuModuleLoadData(&module, "image");
	(void)cuModuleGetFunction(&f, module, name);
	(void)cuLaunchKernel(f, grid, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL);
}

static void *many(void *unused)
{
	(void)unused;
	(void)cuCtxSetCurrent(context);
	for (int i = 0; i < 40; i++)
		launch("clean_thread", 1);
	return NULL;
}

static void threads(unsigned n)
{
	pthread_t t[THREADS];

	for (unsigned i = 0; i < n && i < THREADS; i++)
		(void)pthread_create(&t[i], NULL, many, NULL);
	for (unsigned i = 0; i < n && i < THREADS; i++)
		(void)pthread_join(t[i], NULL);
}

static void capture(const char *name)
{
	CUgraph made;

	(void)cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL);
	launch(name, 3);
	launch(name, 3);
	if (cuStreamEndCapture(NULL, &made) != CUDA_SUCCESS)
		(void)printf("capture failed\n");
	(void)cuGraphInstantiateWithFlags(&graph, made, 0);
}

static void in_child(bool again)
{
	char *const argv[] = { (char *)(size_t)self, (char *)(size_t) "clean:2", NULL };
	pid_t pid;

	(void)fflush(NULL);
	pid = fork();
	if (pid == 0 && again)
		(void)execv(self, argv);
	if (pid == 0) {
		launch("clean_child", 1);
		exit(0);
	}
	(void)waitpid(pid, NULL, 0);
}

static void another_context(void)
{
	static int second;

	context = (void *)&second;
	(void)cuCtxSetCurrent(context);
}

static void act(char *word)
{
	char *colon = strchr(word, ':');
	const unsigned n = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;

	if (colon)
		*colon = '\0';
	if (strcmp(word, "capture") == 0) {
		capture(colon ? colon + 1 : "clean");
	} else if (strcmp(word, "graph") == 0) {
		for (unsigned i = 0; i < n; i++)
			(void)cuGraphLaunch(graph, NULL);
	} else if (strcmp(word, "threads") == 0) {
		threads(n);
	} else if (strcmp(word, "fork") == 0 || strcmp(word, "spawn") == 0) {
		in_child(word[0] == 's');
	} else if (strcmp(word, "context") == 0) {
		another_context();
	} else if (strcmp(word, "gpu") == 0) {
		(void)cuDevicePrimaryCtxRetain(&context, 1);
		(void)cuCtxSetCurrent(context);
	} else if (strcmp(word, "destroy") == 0) {
		(void)cuDevicePrimaryCtxRelease(0);
	} else if (strcmp(word, "refused") == 0) {
		launch("clean_refused", 0);
	} else if (strcmp(word, "status") == 0) {
		exit((int)n);
	} else if (strcmp(word, "_exit") == 0) {
		(void)fflush(NULL);
		_exit((int)n);
	} else if (strcmp(word, "kill") == 0) {
		(void)raise(SIGKILL);
	} else {
		for (unsigned i = 0; i < n; i++)
			launch(word, 1);
	}
}

int main(int argc, char **argv)
{
	self = argv[0];
	(void)cuInit(0);
	(void)cuDevicePrimaryCtxRetain(&context, 0);
	(void)cuCtxSetCurrent(context);
	for (int i = 1; i < argc; i++)
		act(argv[i]);
	(void)printf("result %d\n", argc);
	return 0;
}
