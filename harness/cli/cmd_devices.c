/* SPDX-License-Identifier: MIT */
#include "harness/cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/device/image_sets.h"
#include "harness/report/json.h"
#include "harness/run/probe.h"
#include "harness/run/targets.h"

#define SCHEMA "bankcheck-devices-1"

static void print_gpu(const struct bc_cli *c, const struct bc_facts *f)
{
	struct bc_arch arch;
	struct bc_error err = { .msg = "" };

	(void)printf("cuda:%u  %s, %s, %s, PCI %s\n", f->index, f->name, f->arch, f->uuid[0] ? f->uuid : "UUID unknown",
		     f->pci[0] ? f->pci : "unknown");
	(void)printf("        driver %s (CUDA %s), %u SMs, %u KB of shared memory per SM, %u bytes opt-in per block, "
		     "ECC %s\n",
		     f->driver[0] ? f->driver : "unknown", f->cuda[0] ? f->cuda : "unknown", f->sms, f->sm_bytes / 1024,
		     f->optin_bytes,
		     f->ecc == 1   ? "on"
		     : f->ecc == 0 ? "off"
				   : "unknown");
	if (f->images[0])
		(void)printf("        images: %s\n", f->images);
	if (f->counters_absent[0])
		(void)printf("        counters: none: %s\n", f->counters_absent);
	else
		(void)printf("        counters: yes%s%s\n", f->cupti[0] ? ", CUPTI " : "", f->cupti);
	if (bc_arch_of_device(c->expected_dir, f, &arch, &err))
		(void)printf("        expectations: none: %s\n", err.msg);
	else if (arch.provisional)
		(void)printf(
			"        expectations: provisional: there is no folder for %s, the nearest older architecture "
			"stands in for it\n",
			f->arch);
	else
		(void)printf("        expectations: %s, confirmed: %s\n", arch.name, arch.confirmed);
}

static bool has_images(const struct bc_cli *c)
{
	char path[sizeof(c->kernels_dir) + 32];
	struct stat s;

	(void)snprintf(path, sizeof(path), "%s/pattern_ld.fatbin", c->kernels_dir);
	return stat(path, &s) == 0;
}

/* Each folder of images that a run may take, the first choice first. */
static enum bc_status print_kernels(const struct bc_cli *c, struct bc_error *err)
{
	struct bc_image_set *sets = NULL;
	size_t n = 0;
	enum bc_status st = bc_image_sets_find(c->kernels_dir, !c->run.kernels_dir, &sets, &n, err);

	for (size_t i = 0; !st && i < n; i++) {
		if (sets[i].release[0])
			(void)printf("kernels    %s: images for GPUs found, CUDA %s\n", sets[i].dir, sets[i].release);
		else if (n == 1 || has_images(c))
			(void)printf("kernels    %s: %s\n", c->kernels_dir,
				     has_images(c) ? "images for GPUs found"
						   : "no images for GPUs (build them with nvcc: `make`)");
	}
	free(sets);
	return st;
}

/* What was found. */
struct found {
	const struct bc_facts *gpus;
	size_t n;
	const char *why; /* there is no GPU */
	const struct bc_arch *archs;
	size_t narchs;
};

static json_t *gpu_json(const struct bc_cli *c, const struct bc_facts *f)
{
	struct bc_arch arch = { .name = "" };
	struct bc_error err = { .msg = "" };
	const bool expected = bc_arch_of_device(c->expected_dir, f, &arch, &err) == BC_OK;

	return json_pack("{si, so, so, so, so, so, so, so, so, sI, sI, sI, so, sb, so, so, so, so}", "index",
			 (int)f->index, "name", bc_json_text(f->name), "arch", bc_json_text(f->arch), "uuid",
			 bc_json_known(f->uuid), "pci", bc_json_known(f->pci), "driver", bc_json_known(f->driver),
			 "cuda", bc_json_known(f->cuda), "images", bc_json_known(f->images), "cupti",
			 bc_json_known(f->cupti), "sms", (json_int_t)f->sms, "sm_bytes", (json_int_t)f->sm_bytes,
			 "optin_bytes", (json_int_t)f->optin_bytes, "ecc",
			 f->ecc < 0 ? json_null() : json_boolean(f->ecc), "counters", f->counters_absent[0] == '\0',
			 "counters_absent", bc_json_known(f->counters_absent), "expectations",
			 bc_json_known(expected ? arch.name : NULL), "confirmed",
			 bc_json_known(expected && !arch.provisional ? arch.confirmed : NULL), "provisional",
			 expected ? json_boolean(arch.provisional) : json_null());
}

static enum bc_status print_json(const struct bc_cli *c, const struct found *f, struct bc_error *err)
{
	json_t *gpus = json_array(), *archs = json_array();
	struct bc_text text = { 0 };
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < f->n; i++)
		if (json_array_append_new(gpus, gpu_json(c, &f->gpus[i])))
			st = bc_fail(err, BC_ENOMEM, "devices: out of memory");
	for (size_t i = 0; i < f->narchs; i++)
		if (json_array_append_new(archs, bc_json_text(f->archs[i].name)))
			st = bc_fail(err, BC_ENOMEM, "devices: out of memory");
	if (st) {
		json_decref(gpus);
		json_decref(archs);
		return st;
	}
	st = bc_json_write(json_pack("{ss, ss, so, so, so, so, sb}", "schema", SCHEMA, "bankcheck", BC_VERSION, "gpus",
				     gpus, "no_gpu", bc_json_known(f->n ? NULL : f->why), "reference", archs, "kernels",
				     bc_json_text(c->kernels_dir), "images", (int)has_images(c)),
			   false, &text, err);
	if (!st && fwrite(text.data, 1, text.len, stdout) != text.len)
		st = bc_fail(err, BC_EWRITE, "standard output could not be written");
	bc_text_release(&text);
	return st;
}

/* The reference device's architectures, and the kernels. */
static enum bc_status print_rest(const struct bc_cli *c, const struct found *f, struct bc_error *err)
{
	(void)fputs("reference  an interpreter of the kernels' PTX, no hardware; architectures:", stdout);
	for (size_t i = 0; i < f->narchs; i++)
		(void)printf(" %s", f->archs[i].name);
	(void)putchar('\n');
	return print_kernels(c, err);
}

int bc_cmd_devices(const struct bc_cli *c, const struct bc_catalog *cat)
{
	const struct bc_run_options o = bc_cli_run_options(c);
	struct bc_error err = { .msg = "" };
	struct bc_facts *gpus = NULL;
	struct bc_arch *archs = NULL;
	size_t n = 0, narchs = 0;
	char why[400] = "";
	bool json = false;
	enum bc_status st = bc_cli_json(c->format, &json, &err);

	(void)cat;
	if (!st)
		st = bc_probe_list(&o, &gpus, &n, why, sizeof(why), &err);
	if (!st)
		st = bc_probe_open(&o, gpus, n, &err);
	for (size_t i = 0; !st && !json && i < n; i++)
		print_gpu(c, &gpus[i]);
	if (!st && !n && !json)
		(void)printf("no GPU: %s\n", why);
	if (!st)
		st = bc_arch_list(c->expected_dir, &archs, &narchs, &err);
	if (!st) {
		const struct found f = { gpus, n, why, archs, narchs };

		if (json)
			st = print_json(c, &f, &err);
		else
			st = print_rest(c, &f, &err);
	}
	if (!st)
		st = bc_cli_flush(&err);
	free(archs);
	free(gpus);
	return st ? bc_cli_fail(&err) : 0;
}
