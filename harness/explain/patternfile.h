/* SPDX-License-Identifier: MIT */
/* harness/explain/patternfile.h - access patterns written by people or tools: one request a line, read as a stream.
 *
 * Fields are separated by tabs. A first line whose first field is `op` is a header: the columns op, pattern, lane_mask
 * and byte_offsets_lane0_to_31 are found by their names, others are ignored. Without one a line is op, name, mask,
 * offsets. Lines that start with `#` and empty lines are skipped; a line may end with CR LF.
 */
#ifndef BC_EXPLAIN_PATTERNFILE_H
#define BC_EXPLAIN_PATTERNFILE_H

#include <stdio.h>

#include "harness/core/case.h"

#define BC_PATTERN_LINE_MAX 65536	/* bytes of a line with its end */
#define BC_PATTERN_OFFSET_MAX INT32_MAX /* bytes: a sum with a window base stays below 2^32 */

enum bc_pattern_column { BC_COLUMN_OP = 0, BC_COLUMN_NAME, BC_COLUMN_MASK, BC_COLUMN_OFFSETS, BC_NCOLUMNS };

/* Set file and path, zero the rest. */
struct bc_patternfile {
	FILE *file;
	const char *path;	      /* for messages */
	unsigned long line;	      /* number of the last line read, from 1 */
	bool started;		      /* the first line that says something was seen */
	bool header;		      /* it was a header */
	bool bad_row;		      /* what failed is that line alone: the next call reads the next one */
	unsigned column[BC_NCOLUMNS]; /* where each is, from 0 */
	char text[BC_PATTERN_LINE_MAX];
};

/**
 * bc_pattern_make - one request of one operation, from the first byte of dynamic shared memory
 * @op:      name of an operation
 * @mask:    lanes as a hexadecimal number: 1 to 8 digits, `0x` in front allowed
 * @offsets: 32 byte offsets, lane 0 first, separated by commas (blanks round them are allowed), each decimal or
 *           hexadecimal with `0x`, 0 to BC_PATTERN_OFFSET_MAX
 *
 * Offsets of inactive lanes, and of lanes that give a matrix operation no row, are not looked at and become 0.
 * Return: BC_EUSAGE without a place for an unknown operation, a mask or offsets that cannot be read, a mask that the
 * operation cannot have, or an offset of an active lane that is not aligned to the access.
 */
enum bc_status bc_pattern_make(const char *op, const char *mask, const char *offsets, struct bc_pattern *out,
			       struct bc_error *err);

/**
 * bc_patternfile_next - the next pattern of the stream
 * @more: false at the end; @out and @name are filled only when true
 * @name: points into the reader, until the next call
 *
 * Return: BC_EDATA with path:line for what cannot be a pattern; after one with bad_row set the table can be read on,
 * after a header that lacks a column or a line without end it cannot. BC_EREAD when reading fails.
 */
enum bc_status bc_patternfile_next(struct bc_patternfile *f, struct bc_pattern *out, const char **name, bool *more,
				   struct bc_error *err);

#endif
