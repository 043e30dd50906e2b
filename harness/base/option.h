/* SPDX-License-Identifier: MIT */
/* harness/base/option.h - an option as a row of a table: how its argument is read, kept in a struct, and written again.
 */
#ifndef BC_BASE_OPTION_H
#define BC_BASE_OPTION_H

#include "harness/base/base.h"

#define BC_OPTION_SECONDS_MAX 86400u
#define BC_OPTION_BUF 24 /* a number, or two with a slash, as text */

/* The type decides what lies at the row's offset. */
enum bc_option_type {
	BC_OPTION_TEXT,	   /* const char *: the argument itself; NULL: not given */
	BC_OPTION_FLAG,	   /* bool; takes no argument */
	BC_OPTION_NUMBER,  /* unsigned: a whole number, min to max; 0 where min is above it: not given */
	BC_OPTION_SECONDS, /* the same, 1 to BC_OPTION_SECONDS_MAX */
	BC_OPTION_CHOICE,  /* unsigned or an enum: index of one of the words */
	BC_OPTION_LIST,	   /* struct bc_option_list; may be given several times */
	BC_OPTION_PART,	   /* struct bc_option_part: I/N */
	BC_OPTION_SEED,	   /* struct bc_option_seed: a whole number, 0 to 2^32 - 1 */
};

/* Arguments in their order; item is malloc'ed, what it points to is the caller's. */
struct bc_option_list {
	const char **item;
	size_t n;
};

/* The part-th (from 1) of so many; of 0: not given. */
struct bc_option_part {
	unsigned part, of;
};

/* "I/N" with 1 <= I <= N < 2^32, decimal digits only. Return: false when @s is anything else; @out is kept then. */
bool bc_part_parse(const char *s, struct bc_option_part *out);

struct bc_option_seed {
	bool given;
	uint32_t value;
};

struct bc_option {
	const char *name;     /* without its dashes */
	const char *argument; /* what help calls it; NULL: it takes none */
	char letter;	      /* 0: none */
	enum bc_option_type type;
	size_t offset;	   /* in the struct that the table is for */
	unsigned min, max; /* of a number */
	unsigned preset;   /* number or choice that it has until it is given */
	const char *const
		*words;	      /* ended by NULL. Of a choice: "" cannot be given. Of a text: what completion offers */
	const char *variable; /* of the environment: gives the text where the command line does not; NULL: none */
	unsigned use;	      /* bits, of the table's own meaning */
	const char *help;
};

/* Give a new option its preset; the struct is zeroed before. */
void bc_option_init(const struct bc_option *o, void *options);

/**
 * bc_option_set - take the argument that an option was given
 * @options: struct that the table is for
 * @arg:     not read for a flag; texts and lists keep the pointer
 *
 * Return: BC_EUSAGE "--name arg: what it must be"; BC_ENOMEM.
 */
enum bc_status bc_option_set(const struct bc_option *o, void *options, const char *arg, struct bc_error *err);

/* Does it still have its preset? */
bool bc_option_is_preset(const struct bc_option *o, const void *options);

/**
 * bc_option_text - the argument that gives an option the value it has
 * @buf: for numbers
 *
 * Return: in @buf, or a string that the options hold; "" for what is not given; "yes" or "no" for a flag. Not for
 * lists.
 */
const char *bc_option_text(const struct bc_option *o, const void *options, char buf[BC_OPTION_BUF]);

/* The preset as help prints it, "" when there is none. */
const char *bc_option_preset_text(const struct bc_option *o, char buf[BC_OPTION_BUF]);

/* Free what the option holds: the items of a list. */
void bc_option_release(const struct bc_option *o, void *options);

#endif
