/* SPDX-License-Identifier: MIT */
/* harness/map/agree.h - what the reports of several runs say together: rows to propose, and the line `confirmed`. */
#ifndef BC_MAP_AGREE_H
#define BC_MAP_AGREE_H

#include "harness/map/proposal.h"
#include "harness/report/reader.h"

#define BC_AGREE_RUNS 3 /* or two GPUs */

/* What was made of one architecture's runs. */
struct bc_agreement {
	char arch[BC_ARCH_NAME_MAX];
	unsigned runs, gpus;
	unsigned long cases;	/* that all runs counted */
	unsigned long rows;	/* proposed: they agree, and expected/ says otherwise or nothing */
	unsigned long disputed; /* they do not agree */
	struct bc_text words;	/* a line for each of those: the case, and what each run counted */
};

/**
 * bc_agree_propose - propose rows for one architecture of the reports
 * @files: [n] read
 * @arch:  one that bc_agree_archs named
 *
 * Return: BC_EUSAGE when there are fewer than three runs of it, and of one GPU alone. Release @out in any case.
 */
enum bc_status bc_agree_propose(const struct bc_read_file *files, size_t n, const char *arch,
				const struct bc_catalog *cat, const char *expected_dir, const char *dir,
				struct bc_agreement *out, struct bc_error *err);
void bc_agreement_release(struct bc_agreement *a);

/* The architectures of GPUs in the reports, each once. @out: [max]. Return: how many. */
size_t bc_agree_archs(const struct bc_read_file *files, size_t n, const char **out, size_t max);

/**
 * bc_agree_confirm - the line of arch.txt that a run of one device allows
 * @line: "confirmed NVIDIA H200, driver 580.159.04, 2026-11-29"
 * @why:  why it allows none
 *
 * Return: true when every case was taken, none is a finding, and counters were read on hardware.
 */
bool bc_agree_confirm(const struct bc_read_device *d, char *line, size_t size, char *why, size_t why_size);

#endif
