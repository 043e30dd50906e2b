/* SPDX-License-Identifier: MIT */
/* harness/device/reference/ptx_text.h - PTX as text: tokens, and the parsed module. Inside of the interpreter. */
#ifndef BC_DEVICE_REFERENCE_PTX_TEXT_H
#define BC_DEVICE_REFERENCE_PTX_TEXT_H

#include "harness/device/reference/ptx.h"

/* A piece of the module's own copy of the text. */
struct bc_ptx_slice {
	const char *s;
	uint32_t len;
};

enum bc_ptx_token_kind {
	BC_PTX_T_END = 0,
	BC_PTX_T_WORD, /* identifier, opcode, %register */
	BC_PTX_T_DOT,  /* ".global", ".L1::no_allocate": the text is without the first dot */
	BC_PTX_T_INT,
	BC_PTX_T_F32, /* 0fXXXXXXXX: value is the bits */
	BC_PTX_T_F64, /* 0dX..., 1.5: value is the bits of a double */
	BC_PTX_T_STRING,
	BC_PTX_T_PUNCT, /* one character, in punct */
};

struct bc_ptx_token {
	enum bc_ptx_token_kind kind;
	char punct;
	bool spaced;   /* white space or the start of the text comes before it */
	unsigned line; /* 1-based */
	struct bc_ptx_slice text;
	uint64_t value;
};

struct bc_ptx_lexer {
	const char *at, *end;
	const char *path;
	unsigned line;
};

/* Next token. BC_EDATA with path:line for a character, number or comment that is malformed. */
enum bc_status bc_ptx_next_token(struct bc_ptx_lexer *lx, struct bc_ptx_token *t, struct bc_error *err);
/* Skip to the end of the line (.loc, .file). */
void bc_ptx_lex_skip_line(struct bc_ptx_lexer *lx);

bool bc_ptx_slice_is(struct bc_ptx_slice s, const char *word);
bool bc_ptx_slice_same(struct bc_ptx_slice a, struct bc_ptx_slice b);

enum bc_ptx_type {
	BC_PTX_NONE = 0,
	BC_PTX_B8,
	BC_PTX_B16,
	BC_PTX_B32,
	BC_PTX_B64,
	BC_PTX_B128,
	BC_PTX_U8,
	BC_PTX_U16,
	BC_PTX_U32,
	BC_PTX_U64,
	BC_PTX_S8,
	BC_PTX_S16,
	BC_PTX_S32,
	BC_PTX_S64,
	BC_PTX_F16,
	BC_PTX_F16X2,
	BC_PTX_BF16,
	BC_PTX_BF16X2,
	BC_PTX_F32,
	BC_PTX_F64,
	BC_PTX_F32X2,
	BC_PTX_U16X2,
	BC_PTX_S16X2,
	BC_PTX_PRED,
	BC_PTX_NTYPES
};

/* Return: the type called @s (without dot), BC_PTX_NONE when there is none. */
enum bc_ptx_type bc_ptx_type_parse(struct bc_ptx_slice s);
unsigned bc_ptx_type_bytes(enum bc_ptx_type t); /* 0 for none and pred */
bool bc_ptx_type_signed(enum bc_ptx_type t);
bool bc_ptx_type_float(enum bc_ptx_type t); /* f16 ... f64, packed ones too */

/* Names: (scope, name) -> index. Open addressing, linear probing, at most half full. */
struct bc_ptx_map {
	struct bc_ptx_map_slot {
		struct bc_ptx_slice name;
		uint32_t scope;
		int32_t index; /* -1: free */
	} * slot;
	size_t cap, n;
};

void bc_ptx_map_release(struct bc_ptx_map *m);
/* Return: the index stored, -1 when there is none. */
int32_t bc_ptx_map_get(const struct bc_ptx_map *m, uint32_t scope, struct bc_ptx_slice name);
/* Store @index (0 or more) under a key that is not there yet. BC_ENOMEM. */
enum bc_status bc_ptx_map_put(struct bc_ptx_map *m, uint32_t scope, struct bc_ptx_slice name, int32_t index,
			      struct bc_error *err);

/**
 * bc_ptx_array_grow - make room for one more element
 * @array: pointer to the array's pointer; @n elements of @size bytes are used, *@cap are allocated
 * @max:   refuse more elements than this with BC_EDATA
 */
enum bc_status bc_ptx_array_grow(void *array, size_t n, size_t *cap, size_t size, size_t max, struct bc_error *err);

enum bc_ptx_where {
	BC_PTX_V_REG = 0,
	BC_PTX_V_GLOBAL,
	BC_PTX_V_CONST,
	BC_PTX_V_SHARED,
	BC_PTX_V_LOCAL,
	BC_PTX_V_PARAM
};

/* An address in an initialiser: @bytes at @offset get the address of @symbol plus @addend. */
struct bc_ptx_reloc {
	uint64_t offset, addend;
	unsigned bytes, line;
	struct bc_ptx_slice symbol;
};

/* A variable with an address. */
struct bc_ptx_var {
	struct bc_ptx_slice name;
	enum bc_ptx_where where;
	uint64_t bytes; /* 0: extern without size */
	uint32_t align; /* power of two, 1 .. 1024 */
	bool is_extern;
	bool body_param; /* .param inside a body: belongs to a call */
	unsigned line;
	unsigned char *data; /* initial value of the first data_len bytes; NULL: all 0 */
	size_t data_len, data_cap;
	struct bc_ptx_reloc *reloc;
	size_t nreloc, reloc_cap;
	uint64_t offset; /* entry parameters: where in the parameters */
};

enum bc_ptx_operand_kind {
	BC_PTX_O_REG = 0, /* reg; reg2 for p|q */
	BC_PTX_O_INT,	  /* value */
	BC_PTX_O_F32,	  /* value: bits of a float */
	BC_PTX_O_F64,	  /* value: bits of a double */
	BC_PTX_O_VAR,	  /* var (+ value): the address of a variable */
	BC_PTX_O_NAME,	  /* text: label, function or undeclared */
	BC_PTX_O_SPECIAL, /* text: %tid.x ... */
	BC_PTX_O_ADDR,	  /* [base + value]: reg, var, or neither; [base + value, {a, ...}]: first, count too */
	BC_PTX_O_VECTOR,  /* {a, b, ...}: operands first .. first + count - 1 */
	BC_PTX_O_SINK,	  /* _ */
};

struct bc_ptx_operand {
	uint8_t kind;
	bool negated; /* !p; integer and register operands with a minus are refused */
	uint8_t count;
	int32_t reg, reg2; /* -1: none */
	int32_t var;	   /* index; -1: none */
	uint32_t first;
	uint32_t scope; /* where it stands, for labels */
	uint64_t value;
	struct bc_ptx_slice text;
};

struct bc_ptx_stmt {
	unsigned line;
	int32_t guard; /* register of @p, -1 none */
	bool guard_negated;
	uint8_t noperands;
	uint32_t first;		    /* operands first .. */
	struct bc_ptx_slice opcode; /* with its dots: "ld.global.u32" */
	struct bc_ptx_slice text;   /* the whole statement up to the semicolon */
	bool opaque;		    /* operands in a form that only a call or an unknown instruction has */
};

struct bc_ptx_label {
	uint32_t stmt; /* the statement it stands before */
	unsigned line;
};

struct bc_ptx_targets {	       /* .branchtargets */
	uint32_t first, count; /* operands of kind NAME */
};

struct bc_ptx_entry {
	struct bc_ptx_slice name;
	char *cname;
	unsigned line;
	uint32_t first_param, nparams; /* in module vars */
	uint64_t params_bytes;
	uint32_t maxntid, reqntid[3]; /* 0: not said */
	uint32_t reqcluster[3], maxrank;
	struct bc_ptx_stmt *stmt;
	size_t nstmt, stmt_cap;
	struct bc_ptx_operand *operand;
	size_t noperand, operand_cap;
	enum bc_ptx_type *reg;
	size_t nreg, reg_cap; /* types of registers */
	uint32_t *scope_parent;
	size_t nscope, scope_cap; /* scope 0 is the body, its parent is itself */
	struct bc_ptx_label *label;
	size_t nlabel, label_cap;
	struct bc_ptx_map labels; /* (scope, name) -> label, or targets + BC_PTX_TARGETS_BIT */
	struct bc_ptx_targets *targets;
	size_t ntargets, targets_cap;
	uint32_t first_var, nvars; /* .shared, .local, .param of the body: module vars first_var .. */
};

#define BC_PTX_TARGETS_BIT 0x40000000

struct bc_ptx_module {
	char *text; /* own copy, NUL-terminated */
	size_t len;
	char *path;
	struct bc_ptx_var *var;
	size_t nvar, var_cap;
	struct bc_ptx_entry *entry;
	size_t nentry, entry_cap;
	struct bc_ptx_map vars; /* scope 0: module variables */
};

/* Find the label or branch-target list that @name means in @scope. -1: none. */
int32_t bc_ptx_label_find(const struct bc_ptx_entry *e, uint32_t scope, struct bc_ptx_slice name);

#endif
