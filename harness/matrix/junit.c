/* SPDX-License-Identifier: MIT */
/* The matrix as JUnit: a suite a cell, in it a testcase a case; what is attributed is a failure in each cell that it
 * differs in, and of the base in base-again (noise) or, where every cell has it, in base. */
#include <stdio.h>
#include <string.h>

#include "harness/compare/describe.h"
#include "harness/matrix/matrix.h"
#include "harness/report/xml.h"

struct doc {
	struct bc_xml x;
	const struct bc_matrix *m;
};

struct sums {
	size_t tests, failures, errors;
};

/* The first attribution of a case that concerns the cell and is bad; NULL when it is as in the base. */
static const struct bc_attribution *bad_in(const struct bc_matrix *m, size_t cell, size_t device, const char *id)
{
	size_t low = 0, high = m->n;

	while (low < high) { /* the first of the case: sorted by device, then id */
		const size_t middle = (low + high) / 2;
		const struct bc_attribution *a = &m->attribution[middle];
		const bool before = a->device_at != device ? a->device_at < device : strcmp(a->id, id) < 0;

		low = before ? middle + 1 : low;
		high = before ? high : middle;
	}
	for (; low < m->n && m->attribution[low].device_at == device && strcmp(m->attribution[low].id, id) == 0;
	     low++) {
		const struct bc_attribution *a = &m->attribution[low];

		if (a->bad && (cell == 0 ? !a->cells : a->cells >> cell & 1))
			return a;
	}
	return NULL;
}

static void add_up(const struct bc_matrix *m, size_t cell, struct sums *s)
{
	const struct bc_cell *base = &m->cell[0], *c = &m->cell[cell];
	size_t at = 0;

	s->tests += c->why_status != 0;
	s->errors += c->why_status != 0;
	for (size_t f = 0; f < base->nfiles && (cell == 0 || c->compared); f++) {
		for (size_t i = 0; i < base->files[f].ndevices; i++, at++) {
			const struct bc_read_device *d = &base->files[f].devices[i];

			s->tests += d->ncases;
			for (size_t k = 0; k < d->ncases; k++)
				s->failures += bad_in(m, cell, at, d->cases[k].id) != NULL;
		}
	}
}

static void put_failure(struct doc *d, const struct bc_attribution *a)
{
	struct bc_text text = { 0 };
	struct bc_out o = bc_out_part(&d->x.text, &text);

	bc_putf(&o, "%s (%s differs): ", bc_cause_name(a->cause), bc_aspect_name(a->aspect));
	bc_matrix_put_change(&o, a);
	bc_put(&o, "; in ");
	bc_matrix_put_cells(&o, d->m, a);
	bc_out_join(&d->x.text, &o);
	bc_xml_start(&d->x, "failure");
	bc_xml_attr(&d->x, "type", bc_cause_name(a->cause));
	bc_xml_attr(&d->x, "message", bc_out_text(&o));
	bc_xml_end(&d->x);
	bc_text_release(&text);
}

static void put_case(struct doc *d, size_t cell, size_t at, const struct bc_read_device *device, const char *id)
{
	const struct bc_attribution *a = bad_in(d->m, cell, at, id);
	const char *slash = strchr(id, '/');
	char class[400];

	(void)snprintf(class, sizeof(class), "bankcheck.matrix.%s.%s.%.*s", d->m->cell[cell].name, device->dev,
		       (int)strcspn(id, "/"), id);
	bc_xml_start(&d->x, "testcase");
	bc_xml_attr(&d->x, "classname", class);
	bc_xml_attr(&d->x, "name", slash ? slash + 1 : id);
	bc_xml_attr(&d->x, "time", "0.000");
	if (a)
		put_failure(d, a);
	bc_xml_end(&d->x);
}

static void put_why(struct doc *d, const struct bc_cell *c)
{
	char class[100];

	(void)snprintf(class, sizeof(class), "bankcheck.matrix.%s", c->name);
	bc_xml_start(&d->x, "testcase");
	bc_xml_attr(&d->x, "classname", class);
	bc_xml_attr(&d->x, "name", "compared");
	bc_xml_attr(&d->x, "time", "0.000");
	bc_xml_start(&d->x, "error");
	bc_xml_attr(&d->x, "type", "INCOMPARABLE");
	bc_xml_attr(&d->x, "message", c->why);
	bc_xml_end(&d->x);
	bc_xml_end(&d->x);
}

static void put_property(struct doc *d, const char *name, const struct bc_cell *c,
			 void (*put)(struct bc_out *, const struct bc_cell *))
{
	struct bc_text text = { 0 };
	struct bc_out o = bc_out_part(&d->x.text, &text);

	put(&o, c);
	bc_out_join(&d->x.text, &o);
	bc_xml_property(&d->x, name, bc_out_text(&o));
	bc_text_release(&text);
}

static void put_suite(struct doc *d, size_t cell)
{
	const struct bc_cell *c = &d->m->cell[cell], *base = &d->m->cell[0];
	struct sums s = { 0 };
	char name[100];
	size_t at = 0;

	add_up(d->m, cell, &s);
	(void)snprintf(name, sizeof(name), "bankcheck.matrix.%s", c->name);
	bc_xml_start(&d->x, "testsuite");
	bc_xml_attr(&d->x, "name", name);
	bc_xml_attr_count(&d->x, "tests", s.tests);
	bc_xml_attr_count(&d->x, "failures", s.failures);
	bc_xml_attr_count(&d->x, "errors", s.errors);
	bc_xml_attr_count(&d->x, "skipped", 0);
	bc_xml_attr(&d->x, "time", "0.000");
	if (c->nfiles && c->files[0].ndevices) {
		bc_xml_attr(&d->x, "timestamp", c->files[0].devices[0].timestamp);
		bc_xml_attr(&d->x, "hostname", c->files[0].devices[0].host);
	}
	bc_xml_start(&d->x, "properties");
	put_property(d, "kernels", c, bc_cell_put_kernels);
	put_property(d, "cupti", c, bc_cell_put_cupti);
	bc_xml_property(&d->x, "bankcheck", BC_VERSION);
	bc_xml_end(&d->x);
	if (c->why_status)
		put_why(d, c);
	for (size_t f = 0; f < base->nfiles && (cell == 0 || c->compared); f++)
		for (size_t i = 0; i < base->files[f].ndevices; i++, at++)
			for (size_t k = 0; k < base->files[f].devices[i].ncases; k++)
				put_case(d, cell, at, &base->files[f].devices[i],
					 base->files[f].devices[i].cases[k].id);
	bc_xml_end(&d->x);
}

enum bc_status bc_matrix_junit(const struct bc_matrix *m, struct bc_text *out, struct bc_error *err)
{
	struct doc d = { .m = m };
	struct sums s = { 0 };

	for (size_t i = 0; i < m->ncells; i++)
		add_up(m, i, &s);
	bc_xml_open(&d.x, "matrix", err);
	bc_xml_start(&d.x, "testsuites");
	bc_xml_attr(&d.x, "name", "bankcheck matrix");
	bc_xml_attr_count(&d.x, "tests", s.tests);
	bc_xml_attr_count(&d.x, "failures", s.failures);
	bc_xml_attr_count(&d.x, "errors", s.errors);
	bc_xml_attr(&d.x, "time", "0.000");
	for (size_t i = 0; i < m->ncells; i++)
		put_suite(&d, i);
	bc_xml_end(&d.x);
	return bc_xml_close(&d.x, out);
}
