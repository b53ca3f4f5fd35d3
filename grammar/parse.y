/* Tokens to AST; every action calls constructors and decides nothing. */
%require "3.8"
%define api.pure full
%define api.prefix {snl_yy}
%define api.value.type union
%define api.location.type {Span}
%define parse.error custom
%define parse.lac full
%locations
%expect 0
%lex-param {void *scanner} {ParseState *state}
%parse-param {void *scanner} {ParseState *state}

%code requires {
#include "grammar/recover.h"

typedef struct {
    Compile *c;
    Module *module;
    Items finished; /* in order of their ends: the parts of a static for stand before it */
    Tokens tokens; /* read when the first syntax error is reported */
    Recover recover; /* from the last one; what of it is still to be done */
    int step;
    uint32_t recovered; /* where that one was */
    bool is_cut;        /* braces do not tell what belongs to the function that is read */
    int endless;        /* diagnostics when a syntax error followed a string or comment without an end */
    struct LastToken *last;
} ParseState;
}

%code provides {
#define YYSTYPE SNL_YYSTYPE
#define YYLTYPE SNL_YYLTYPE
}

%code top {
#include "config.h"
}

%code {
#include <stdlib.h>
#include <string.h>

#include "base/diag_data.h"
#include "grammar/mistakes.h"
#include "scan_state.h"

/* Deep enough for any program, shallow enough for every later stage. */
#define YYMAXDEPTH 6000
#define YYMALLOC parser_memory
#define YYFREE free
#define YYLLOC_DEFAULT(current, rhs, n) \
    ((current) = (n) ? span_join(YYRHSLOC(rhs, first_of(YYRHSLOC(rhs, 1), n)), YYRHSLOC(rhs, n))  \
                     : (Span){YYRHSLOC(rhs, 0).to, YYRHSLOC(rhs, 0).to})

#undef yylex
#define yylex next_token

/* The token that the parser has read last, which it may have to read again. */
struct LastToken {
    int kind;
    SNL_YYSTYPE value;
    Span at;
};

int snl_yylex(SNL_YYSTYPE *value, Span *at, void *scanner);
static int next_token(SNL_YYSTYPE *value, Span *at, void *scanner, ParseState *state);
static void snl_yyerror(const Span *at, void *scanner, ParseState *state, const char *message);

/* Memory for the parser's stacks. */
static void *
parser_memory(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p)
        arena_out_of_memory();
    return p;
}

#define C (state->c)
#define ARENA (state->c->syntax)

/* The part a rule's text starts with: an empty first one (no attributes) stands at the end of what came before. */
static int
first_of(Span first, int parts)
{
    return first.from == first.to && parts > 1 ? 2 : 1;
}

static Name
plain_name(const char *text, Span at)
{
    return (Name){.text = text, .span = at};
}

static Stmt *
loop_stmt(Compile *c, Attributes attrs, Names names, Exprs iters, Stmt *body, Span at)
{
    Stmt *s = ast_stmt(c, STMT_FOR, at);
    s->attrs = attrs;
    s->names = names;
    s->iters = iters;
    s->body = body;
    return s;
}

static Stmt *
derive_stmt(Compile *c, Derive derive, Expr *of, Stmt *body, Span at)
{
    Stmt *s = ast_stmt(c, STMT_DERIVE, at);
    s->derive = derive;
    s->target = of;
    s->body = body;
    return s;
}

static Stmt *
if_stmt(Compile *c, Expr *cond, Stmt *body, Stmt *orelse, Span at)
{
    Stmt *s = ast_stmt(c, STMT_IF, at);
    s->expr = cond;
    s->body = body;
    s->orelse = orelse;
    return s;
}

static Stmt *
layout_stmt(Compile *c, StmtKind kind, Name name, Span at)
{
    Stmt *s = ast_stmt(c, kind, at);
    s->name = name;
    return s;
}

/* A declaration before its type is known. */
static Stmt *
decl_stmt(Compile *c, Name name, Exprs dims, Span at)
{
    Stmt *s = ast_stmt(c, STMT_DECL, at);
    s->name = name;
    s->dims = dims;
    return s;
}

static Item *
func_item(Compile *c, FuncKind kind, TypeExpr *result, const char *name, Span name_span, ParamDecls params, Stmt *body, Span at)
{
    Item *f = ast_item(c, ITEM_FUNC, at);
    f->func = kind;
    f->type = result;
    f->name = plain_name(name, name_span);
    f->params = params;
    f->body = body;
    return f;
}

/* A function of which only the head is known to be right. */
static void
drop_body(Compile *c, Item *item)
{
    if (!item->body)
        return;
    item->body->stmts = (Stmts){0};
    vec_push(c->syntax, &item->body->stmts, ast_stmt(c, STMT_ERROR, item->span));
}

static void
finish_item(ParseState *state, Item *item)
{
    vec_push(ARENA, &state->finished, item);
    if (state->is_cut)
        drop_body(C, item);
    state->is_cut = false;
}

/* An item with its attributes; a semicolon alone is none. */
static Item *
attributed_item(Item *item, Attributes attrs, Span at)
{
    if (!item || (item->kind == ITEM_DEFAULTS && !attrs.count))
        return NULL;
    item->attrs = attrs;
    if (attrs.count)
        item->span = span_join(at, item->span);
    return item;
}

/* Moves the members of one line to their struct. */
static void
add_members(Compile *c, Item *to, const Item *line)
{
    for (int i = 0; i < line->members.count; i++)
        vec_push(c->syntax, &to->members, line->members.items[i]);
}

/* `for i in a..b word c`: the word must be step. */
static Expr *
range_with_step(Compile *c, Expr *from, Expr *to, const char *word, Span at, Expr *step)
{
    if (strcmp(word, "step"))
        diag_edit(diag(c, E0105, at, "unexpected '%s' after a range", word), at, "step");
    return ast_range(c, from, to, step);
}
}

%token END 0 "end of file"
%token IMPORT "import" CONST "const" PARAM "param" STRUCT "struct" FIELD "field" LAYOUT "layout" PLACE "place"
%token FUNC "func" EXTERN "extern" KERNEL "kernel" HOST "host" MAIN "main" TEST "test" BENCHMARK "benchmark" LET "let" VAR "var"
%token IF "if" ELSE "else" WHILE "while" FOR "for" IN "in" BREAK "break" CONTINUE "continue" RETURN "return"
%token STATIC "static" STATIC_ASSERT "static_assert" INOUT "inout" TRUE "true" FALSE "false" AUTO "auto" TYPEOF "typeof"
%token GRADIENT "gradient" VJP "vjp" JVP "jvp"
%token CREATE "create" DESTROY "destroy" TRIM "trim"
%token DOTDOT ".." LAND "&&" LOR "||" EQ "==" NE "!=" LE "<=" GE ">=" SHL "<<" SHR ">>"
%token <const char *> IDENT "a name" NODE "a node kind"
%token <TypeExpr *> TYPE "a type"
%token <Expr *> NUMBER "a number" STRING "a string"
%token <Op> ASSIGN_OP "an assignment operator"

%type <const char *> ident word soft_word axes
%type <Name> name opt_name
%type <Names> names
%type <Expr *> expr postfix primary arg iter range place_path family init opt_expr
%type <Exprs> args opt_args iters dims opt_dims places init_list
%type <TypeExpr *> type plain_type
%type <Expr *> derived
%type <ParamDecl> param
%type <ParamDecls> params opt_params
%type <int> commas
%type <Stmt *> block stmt marked_stmt if_tail if_rest static_tail declarator
%type <Stmts> stmts decl declarators
%type <Item *> item plain_item opt_static_else
%type <Items> items
%type <Attributes> attributes some_attributes
%type <Attribute> attribute
%type <LayoutNode *> node
%type <LayoutNodes> nodes node_block
%type <FieldDecl> field_decl
%type <FuncKind> func_word

%right '?' ':'
%left "||"
%left "&&"
%left '|'
%left '^'
%left '&'
%left "==" "!="
%left '<' '>' "<=" ">="
%left "<<" ">>"
%left '+' '-'
%left '*' '/' '%' '@'
%precedence UNARY

%%

file: items             { state->module->items = $items; }
    ;

items: %empty               { $$ = (Items){0}; }
    | items item            { $$ = $1; if ($item) { vec_push(ARENA, &$$, $item); finish_item(state, $item); } }
    ;

item: attributes plain_item { $$ = attributed_item($plain_item, $attributes, @1); }
    | error ';'             { $$ = NULL; yyerrok; }
    | error '}'             { $$ = NULL; yyerrok; }
    ;

attributes: %empty          { $$ = (Attributes){0}; }
    | attributes attribute  { $$ = $1; vec_push(ARENA, &$$, $attribute); }
    ;

some_attributes: attribute  { $$ = (Attributes){0}; vec_push(ARENA, &$$, $attribute); }
    | some_attributes attribute { $$ = $1; vec_push(ARENA, &$$, $attribute); }
    ;

attribute: '@' ident                    { $$ = (Attribute){.name = $ident, .span = @$}; }
    | '@' ident '(' opt_args ')'        { $$ = (Attribute){.name = $ident, .args = $opt_args, .span = @$}; }
    ;

word: IDENT | NODE ;

soft_word: GRADIENT         { $$ = intern_str(C->intern, "gradient"); }
    | VJP                   { $$ = intern_str(C->intern, "vjp"); }
    | JVP                   { $$ = intern_str(C->intern, "jvp"); }
    ;

ident: word | soft_word ;

family: NUMBER              { $$ = $1; }
    | ident                 { $$ = ast_name(C, plain_name($1, @1)); }
    | '(' expr ')'          { $$ = $expr; }
    ;

name: ident                 { $$ = plain_name($1, @1); }
    | ident '#' family      { $$ = (Name){.text = $1, .number = $family, .span = @$}; }
    ;

opt_name: %empty            { $$ = (Name){0}; }
    | name
    ;

names: name                 { $$ = (Names){0}; vec_push(ARENA, &$$, $1); }
    | names ',' name        { $$ = $1; vec_push(ARENA, &$$, $3); }
    ;

type: plain_type
    | soft_word             { $$ = ARENA_NEW(ARENA, TypeExpr); *$$ = (TypeExpr){.kind = TE_NAME, .name = plain_name($1, @1), .span = @$}; }
    ;

/* What a declaration in a block may begin with: `gradient x` begins something else there. */
plain_type: TYPE
    | word                  { $$ = ARENA_NEW(ARENA, TypeExpr); *$$ = (TypeExpr){.kind = TE_NAME, .name = plain_name($1, @1), .span = @$}; }
    | AUTO                  { $$ = ARENA_NEW(ARENA, TypeExpr); *$$ = (TypeExpr){.kind = TE_AUTO, .span = @$}; }
    | TYPEOF '(' expr ')'   { $$ = ARENA_NEW(ARENA, TypeExpr); *$$ = (TypeExpr){.kind = TE_TYPEOF, .of = $expr, .span = @$}; }
    ;

func_word: FUNC { $$ = FUNC_DEVICE; } | KERNEL { $$ = FUNC_KERNEL; } | HOST { $$ = FUNC_HOST; } ;

plain_item:
      ';'                   { $$ = ast_item(C, ITEM_DEFAULTS, @$); }
    | IMPORT STRING ';'     { $$ = ast_item(C, ITEM_IMPORT, @$); $$->path = $2->kind == EXPR_STRING ? $2->string : NULL; $$->path_span = @2; }
    | CONST ident '=' expr ';'
                            { $$ = ast_item(C, ITEM_CONST, @$); $$->name = plain_name($2, @2); $$->expr = $expr; }
    | CONST type ident opt_dims '=' init ';'
                            { $$ = ast_item(C, ITEM_CONST, @$); $$->type = $type; $$->name = plain_name($3, @3); $$->dims = $opt_dims; $$->expr = $init; }
    | CONST type ident opt_dims '=' '{' init_list '}' ';'
                            { $$ = ast_item(C, ITEM_CONST, @$); $$->type = $type; $$->name = plain_name($3, @3); $$->dims = $opt_dims; $$->has_list = true; $$->list = $init_list; }
    | PARAM type ident '=' expr ';'
                            { $$ = ast_item(C, ITEM_PARAM, @$); $$->type = $type; $$->name = plain_name($3, @3); $$->expr = $expr; }
    | STRUCT ident '{' members '}'
                            { $$ = $<Item *>members; $$->span = @$; $$->name = plain_name($2, @2); }
    | STRUCT ident '{' members error '}'
                            { $$ = $<Item *>members; $$->span = @$; $$->name = plain_name($2, @2); yyerrok; }
    | STRUCT ident '{' members member_line error '}'
                            { $$ = $<Item *>members; $$->span = @$; $$->name = plain_name($2, @2); add_members(C, $$, $<Item *>member_line); yyerrok; }
    | STRUCT error ';'      { $$ = NULL; yyerrok; }
    | STRUCT error '{' members '}' { $$ = NULL; yyerrok; }
    | FIELD type field_decls ';'
                            { $$ = $<Item *>field_decls; $$->span = @$; $$->type = $type; }
    | LAYOUT opt_name node_block
                            { $$ = ast_item(C, ITEM_LAYOUT, span_join(@1, @2)); $$->name = $opt_name; $$->nodes = $node_block; }
    | LAYOUT error ';'      { $$ = NULL; yyerrok; }
    | LAYOUT error node_block
                            { $$ = ast_item(C, ITEM_LAYOUT, @1); $$->nodes = $node_block; yyerrok; }
    | func_word ident '(' opt_params ')' block
                            { $$ = func_item(C, $1, NULL, $2, @2, $opt_params, $block, span_join(@1, @5)); }
    | func_word type ident '(' opt_params ')' block
                            { $$ = func_item(C, $1, $type, $3, @3, $opt_params, $block, span_join(@1, @6)); }
    | func_word error ';'   { $$ = NULL; yyerrok; }
    | func_word error block { $$ = NULL; yyerrok; }
    | EXTERN FUNC ident '(' opt_params ')' ';'
                            { $$ = func_item(C, FUNC_EXTERN, NULL, $3, @3, $opt_params, NULL, @$); }
    | EXTERN FUNC type ident '(' opt_params ')' ';'
                            { $$ = func_item(C, FUNC_EXTERN, $type, $4, @4, $opt_params, NULL, @$); }
    | MAIN block            { $$ = func_item(C, FUNC_MAIN, NULL, "main", @1, (ParamDecls){0}, $block, @1); }
    | MAIN error ';'        { $$ = NULL; yyerrok; }
    | MAIN error block      { $$ = NULL; yyerrok; }
    | TEST error ';'        { $$ = NULL; yyerrok; }
    | TEST error block      { $$ = NULL; yyerrok; }
    | TEST STRING block     { $$ = func_item(C, FUNC_TEST, NULL, "test", @2, (ParamDecls){0}, $block, span_join(@1, @2));
                              $$->title = $2->kind == EXPR_STRING ? $2->string : ""; }
    | BENCHMARK STRING block { $$ = func_item(C, FUNC_BENCHMARK, NULL, "benchmark", @2, (ParamDecls){0}, $block, span_join(@1, @2));
                              $$->title = $2->kind == EXPR_STRING ? $2->string : ""; }
    | STATIC_ASSERT '(' expr ')' ';'
                            { $$ = ast_item(C, ITEM_STATIC_ASSERT, @$); $$->expr = $expr; }
    | STATIC_ASSERT '(' expr ',' STRING ')' ';'
                            { $$ = ast_item(C, ITEM_STATIC_ASSERT, @$); $$->expr = $expr; $$->message = $5; }
    | STATIC FOR ident IN range '{' items '}'
                            { $$ = ast_item(C, ITEM_STATIC_FOR, @$); $$->name = plain_name($3, @3); $$->expr = $range; $$->items = $items; }
    | STATIC IF '(' expr ')' '{' items '}' opt_static_else
                            { $$ = ast_item(C, ITEM_STATIC_IF, @$); $$->expr = $expr; $$->items = $items; if ($9) $$->orelse = $9->items; }
    ;

opt_static_else: %empty     { $$ = NULL; }
    | ELSE '{' items '}'    { $$ = ast_item(C, ITEM_STATIC_IF, @$); $$->items = $items; }
    | ELSE error '{' items '}' opt_static_else { $$ = NULL; yyerrok; }
    | ELSE IF '(' expr ')' '{' items '}' opt_static_else[rest]
                            { Item *i = ast_item(C, ITEM_STATIC_IF, @$); i->expr = $expr; i->items = $items; if ($rest) i->orelse = $rest->items;
                              $$ = ast_item(C, ITEM_STATIC_IF, @$); vec_push(ARENA, &$$->items, i); }
    ;

members: %empty             { $<Item *>$ = ast_item(C, ITEM_STRUCT, @$); }
    | members member_line ';' { $<Item *>$ = $<Item *>1; add_members(C, $<Item *>$, $<Item *>member_line); }
    | members error ';'     { $<Item *>$ = $<Item *>1; yyerrok; }
    ;

member_line: type ident     { $<Item *>$ = ast_item(C, ITEM_STRUCT, @$); vec_push(ARENA, &$<Item *>$->members, ((MemberDecl){.name = plain_name($2, @2), .type = $1})); }
    | member_line ',' ident { $<Item *>$ = $<Item *>1; vec_push(ARENA, &$<Item *>$->members, ((MemberDecl){.name = plain_name($3, @3), .type = $<Item *>$->members.items[0].type})); }
    ;

field_decls: field_decl     { $<Item *>$ = ast_item(C, ITEM_FIELD, @$); vec_push(ARENA, &$<Item *>$->fields, $1); }
    | field_decls ',' field_decl { $<Item *>$ = $<Item *>1; vec_push(ARENA, &$<Item *>$->fields, $3); }
    ;

field_decl: name            { $$ = (FieldDecl){.name = $1}; }
    | name '[' opt_args ']' { $$ = (FieldDecl){.name = $1, .has_dims = true, .dims = $opt_args}; }
    ;

nodes: %empty               { $$ = (LayoutNodes){0}; }
    | nodes node            { $$ = $1; if ($node) vec_push(ARENA, &$$, $node); }
    ;

node_block: '{' nodes '}'   { $$ = $nodes; }
    | '{' nodes error '}'   { $$ = $nodes; yyerrok; }
    ;

/* What ends a broken node: its block, or a semicolon where that is missing. */
node_or_sign: node_block    { }
    | ';'
    ;

/* The letters of axes may make a word. */
axes: IDENT
    | IN                    { $$ = intern_str(C->intern, "in"); }
    ;

node: attributes NODE axes '[' args ']' node_block
                            { $$ = ARENA_NEW(ARENA, LayoutNode);
                              *$$ = (LayoutNode){.span = span_join($1.count ? @1 : @2, @6), .attrs = $1, .kind = node_kind_find($2), .kind_span = @2, .axes = $3, .axes_span = @3, .sizes = $args, .children = $7}; }
    | attributes name ':' NODE axes '[' args ']' node_block
                            { $$ = ARENA_NEW(ARENA, LayoutNode);
                              *$$ = (LayoutNode){.span = span_join($1.count ? @1 : @2, @8), .attrs = $1, .label = $2, .kind = node_kind_find($4), .kind_span = @4, .axes = $5, .axes_span = @5, .sizes = $args, .children = $9}; }
    | attributes NODE error node_or_sign { $$ = NULL; yyerrok; }
    | attributes IDENT error node_or_sign { $$ = NULL; yyerrok; }
    | attributes name ':' NODE error node_or_sign { $$ = NULL; yyerrok; }
    | attributes name ':' error node_or_sign { $$ = NULL; yyerrok; }
    | attributes PLACE places ';'
                            { $$ = ARENA_NEW(ARENA, LayoutNode); *$$ = (LayoutNode){.is_place = true, .span = @$, .attrs = $1, .places = $places}; }
    | ';'                   { $$ = NULL; }
    | error ';'             { $$ = NULL; yyerrok; }
    ;

places: place_path          { $$ = (Exprs){0}; vec_push(ARENA, &$$, $1); }
    | places ',' place_path { $$ = $1; vec_push(ARENA, &$$, $3); }
    ;

place_path: name            { $$ = ast_name(C, $1); }
    | ident '(' name ')'    { Exprs of = {0}; vec_push(ARENA, &of, ast_name(C, $name)); $$ = ast_call(C, @$, ast_name(C, plain_name($ident, @ident)), of); }
    | place_path '.' ident  { $$ = ast_member(C, @$, $1, plain_name($3, @3)); }
    | place_path '[' args ']'
                            { $$ = ast_index(C, @$, $1, $args); }
    ;

opt_params: %empty          { $$ = (ParamDecls){0}; }
    | params
    ;

params: param               { $$ = (ParamDecls){0}; vec_push(ARENA, &$$, $1); }
    | params ',' param      { $$ = $1; vec_push(ARENA, &$$, $3); }
    ;

param: type ident           { bool node = $type->kind == TE_NAME && !strcmp($type->name.text, "node");
                              $$ = (ParamDecl){.kind = node ? PARAM_NODE : PARAM_VALUE, .type = $1, .name = plain_name($2, @2), .span = @$}; }
    | type '[' commas ']' ident { $1->array_dims = $commas + 1; $$ = (ParamDecl){.kind = PARAM_VALUE, .type = $1, .name = plain_name($5, @5), .span = @$}; }
    | INOUT type ident      { $$ = (ParamDecl){.kind = PARAM_INOUT, .type = $2, .name = plain_name($3, @3), .span = @$}; }
    | INOUT type '[' commas ']' ident { $2->array_dims = $commas + 1; $$ = (ParamDecl){.kind = PARAM_INOUT, .type = $2, .name = plain_name($6, @6), .span = @$}; }
    | FIELD type ident      { $$ = (ParamDecl){.kind = PARAM_FIELD, .type = $2, .name = plain_name($3, @3), .span = @$}; }
    | FIELD type '[' commas ']' ident { $2->array_dims = $commas + 1; $$ = (ParamDecl){.kind = PARAM_FIELD, .type = $2, .name = plain_name($6, @6), .span = @$}; }
    | FIELD type '[' '*' ']' ident { $2->array_dims = ANY_AXES; $$ = (ParamDecl){.kind = PARAM_FIELD, .type = $2, .name = plain_name($6, @6), .span = @$}; }
    | func_word ident       { $$ = (ParamDecl){.kind = PARAM_FUNC, .func = $1, .name = plain_name($2, @2), .span = @$}; }
    | func_word type ident  { $$ = (ParamDecl){.kind = PARAM_FUNC, .func = $1, .type = $2, .name = plain_name($3, @3), .span = @$}; }
    ;

commas: %empty              { $$ = 0; }
    | commas ','            { $$ = $1 + 1; }
    ;

block: '{' stmts '}'        { $$ = ast_stmt(C, STMT_BLOCK, @$); $$->stmts = $stmts; }
    | '{' stmts error '}'   { $$ = ast_stmt(C, STMT_BLOCK, @$); $$->stmts = $stmts;
                              vec_push(ARENA, &$$->stmts, ast_stmt(C, STMT_ERROR, @3)); yyerrok; }
    ;

stmts: %empty               { $$ = (Stmts){0}; }
    | stmts stmt            { $$ = $1; if ($stmt) vec_push(ARENA, &$$, $stmt); }
    | stmts decl ';'        { $$ = $1; for (int i = 0; i < $decl.count; i++) vec_push(ARENA, &$$, $decl.items[i]); }
    ;

stmt: block
    | ';'                   { $$ = NULL; }
    | expr ';'              { $$ = ast_stmt(C, STMT_EXPR, @$); $$->expr = $expr; }
    | expr '=' expr ';'     { $$ = ast_stmt(C, STMT_ASSIGN, @$); $$->target = $1; $$->expr = $3; }
    | expr ASSIGN_OP expr ';' { $$ = ast_stmt(C, STMT_ASSIGN, @$); $$->target = $1; $$->op = $2; $$->expr = $3; }
    | marked_stmt
    | some_attributes marked_stmt { $$ = $2; $$->attrs = $1; $$->span = span_join(@1, $$->span); }
    | WHILE '(' expr ')' block { $$ = ast_stmt(C, STMT_WHILE, span_join(@1, @4)); $$->expr = $expr; $$->body = $block; }
    | WHILE error block     { $$ = ast_stmt(C, STMT_ERROR, @$); yyerrok; }
    | WHILE '(' expr ')' error ';' { $$ = ast_stmt(C, STMT_ERROR, @$); yyerrok; }
    | IF error block if_rest { $$ = ast_stmt(C, STMT_ERROR, @$); yyerrok; }
    | IF if_tail            { $$ = $2; $$->span = span_join(@1, $$->span); }
    | STATIC IF static_tail { $$ = $3; $$->span = span_join(@1, $$->span); }
    | STATIC FOR ident IN range block
                            { Names n = {0}; Exprs i = {0}; vec_push(ARENA, &n, plain_name($3, @3)); vec_push(ARENA, &i, $range);
                              $$ = loop_stmt(C, (Attributes){0}, n, i, $block, span_join(@1, @5)); $$->is_static = true; }
    | BREAK ';'             { $$ = ast_stmt(C, STMT_BREAK, @1); }
    | CONTINUE ';'          { $$ = ast_stmt(C, STMT_CONTINUE, @1); }
    | RETURN opt_expr ';'   { $$ = ast_stmt(C, STMT_RETURN, @$); $$->expr = $2; }
    | CREATE name ';'       { $$ = layout_stmt(C, STMT_CREATE, $name, @$); }
    | DESTROY name ';'      { $$ = layout_stmt(C, STMT_DESTROY, $name, @$); }
    | TRIM name ';'         { $$ = layout_stmt(C, STMT_TRIM, $name, @$); }
    | error ';'             { $$ = ast_stmt(C, STMT_ERROR, @$); yyerrok; }
    ;

/* What attributes may stand before. */
marked_stmt: FOR names IN iters block { $$ = loop_stmt(C, (Attributes){0}, $names, $iters, $block, span_join(@1, @4)); }
    | FOR error block       { $$ = ast_stmt(C, STMT_ERROR, @$); yyerrok; }
    | GRADIENT derived block { $$ = derive_stmt(C, DERIVE_GRADIENT, $derived, $block, span_join(@1, @2)); }
    | VJP block             { $$ = derive_stmt(C, DERIVE_VJP, NULL, $block, @1); }
    | JVP block             { $$ = derive_stmt(C, DERIVE_JVP, NULL, $block, @1); }
    ;

/* The element that a gradient is of. */
derived: name               { $$ = ast_name(C, $1); }
    | derived '.' ident     { $$ = ast_member(C, @$, $1, plain_name($3, @3)); }
    | derived '[' opt_args ']' { $$ = ast_index(C, @$, $1, $opt_args); }
    ;

if_tail: '(' expr ')' block if_rest { $$ = if_stmt(C, $expr, $block, $if_rest, span_join(@1, @3)); }
    | '(' expr ')' error ';' { $$ = ast_stmt(C, STMT_ERROR, @$); yyerrok; }
    ;

if_rest: %empty             { $$ = NULL; }
    | ELSE block            { $$ = $2; }
    | ELSE IF if_tail       { $$ = $3; }
    ;

static_tail: '(' expr ')' block { $$ = if_stmt(C, $expr, $block, NULL, span_join(@1, @3)); $$->is_static = true; }
    | '(' expr ')' block ELSE block[orelse] { $$ = if_stmt(C, $expr, $4, $orelse, span_join(@1, @3)); $$->is_static = true; }
    | '(' expr ')' block ELSE IF static_tail[orelse] { $$ = if_stmt(C, $expr, $4, $orelse, span_join(@1, @3)); $$->is_static = true; }
    ;

decl: LET ident '=' expr    { Stmt *s = decl_stmt(C, plain_name($2, @2), (Exprs){0}, @$); s->decl = DECL_LET; s->expr = $expr; $$ = (Stmts){0}; vec_push(ARENA, &$$, s); }
    | VAR ident '=' expr    { Stmt *s = decl_stmt(C, plain_name($2, @2), (Exprs){0}, @$); s->decl = DECL_VAR; s->expr = $expr; $$ = (Stmts){0}; vec_push(ARENA, &$$, s); }
    | plain_type[type] declarators { $$ = $2; for (int i = 0; i < $$.count; i++) { $$.items[i]->type = $type; $$.items[i]->span = span_join(@1, $$.items[i]->span); } }
    ;

declarators: declarator     { $$ = (Stmts){0}; vec_push(ARENA, &$$, $1); }
    | declarators ',' declarator { $$ = $1; vec_push(ARENA, &$$, $3); }
    ;

declarator: ident opt_dims  { $$ = decl_stmt(C, plain_name($1, @1), $2, @1); }
    | ident opt_dims '=' expr { $$ = decl_stmt(C, plain_name($1, @1), $2, @$); $$->expr = $expr; }
    | ident opt_dims '=' '{' init_list '}' { $$ = decl_stmt(C, plain_name($1, @1), $2, @$); $$->has_list = true; $$->list = $init_list; }
    ;

opt_dims: %empty            { $$ = (Exprs){0}; }
    | dims
    ;

dims: '[' args ']'          { $$ = $2; }
    ;

init: expr
    ;

init_list: init             { $$ = (Exprs){0}; vec_push(ARENA, &$$, $1); }
    | '{' init_list[inner] '}' { $$ = $inner; }
    | init_list[list] ',' init { $$ = $list; vec_push(ARENA, &$$, $init); }
    | init_list[list] ',' '{' init_list[inner] '}' { $$ = $list; for (int i = 0; i < $inner.count; i++) vec_push(ARENA, &$$, $inner.items[i]); }
    | init_list[list] ','   { $$ = $list; }
    ;

iters: iter                 { $$ = (Exprs){0}; vec_push(ARENA, &$$, $1); }
    | iters ',' iter        { $$ = $1; vec_push(ARENA, &$$, $3); }
    ;

iter: expr | range ;

range: expr[from] ".." expr[to]                    { $$ = ast_range(C, $from, $to, NULL); }
    | expr[from] ".." expr[to] IDENT expr[step]    { $$ = range_with_step(C, $from, $to, $IDENT, @IDENT, $step); }
    ;

opt_expr: %empty            { $$ = NULL; }
    | expr
    ;

opt_args: %empty            { $$ = (Exprs){0}; }
    | args
    ;

args: arg                   { $$ = (Exprs){0}; vec_push(ARENA, &$$, $1); }
    | args ',' arg          { $$ = $1; vec_push(ARENA, &$$, $3); }
    ;

arg: expr | range ;

expr: postfix
    | '-' expr %prec UNARY  { $$ = ast_unary(C, @$, OP_NEG, $2); }
    | '+' expr %prec UNARY  { $$ = ast_unary(C, @$, OP_PLUS, $2); }
    | '!' expr %prec UNARY  { $$ = ast_unary(C, @$, OP_NOT, $2); }
    | '~' expr %prec UNARY  { $$ = ast_unary(C, @$, OP_COMPL, $2); }
    | expr '*' expr         { $$ = ast_binary(C, @$, OP_MUL, $1, $3); }
    | expr '/' expr         { $$ = ast_binary(C, @$, OP_DIV, $1, $3); }
    | expr '%' expr         { $$ = ast_binary(C, @$, OP_MOD, $1, $3); }
    | expr '@' expr         { $$ = ast_binary(C, @$, OP_MATMUL, $1, $3); }
    | expr '+' expr         { $$ = ast_binary(C, @$, OP_ADD, $1, $3); }
    | expr '-' expr         { $$ = ast_binary(C, @$, OP_SUB, $1, $3); }
    | expr "<<" expr        { $$ = ast_binary(C, @$, OP_SHL, $1, $3); }
    | expr ">>" expr        { $$ = ast_binary(C, @$, OP_SHR, $1, $3); }
    | expr '<' expr         { $$ = ast_binary(C, @$, OP_LT, $1, $3); }
    | expr '>' expr         { $$ = ast_binary(C, @$, OP_GT, $1, $3); }
    | expr "<=" expr        { $$ = ast_binary(C, @$, OP_LE, $1, $3); }
    | expr ">=" expr        { $$ = ast_binary(C, @$, OP_GE, $1, $3); }
    | expr "==" expr        { $$ = ast_binary(C, @$, OP_EQ, $1, $3); }
    | expr "!=" expr        { $$ = ast_binary(C, @$, OP_NE, $1, $3); }
    | expr '&' expr         { $$ = ast_binary(C, @$, OP_AND, $1, $3); }
    | expr '^' expr         { $$ = ast_binary(C, @$, OP_XOR, $1, $3); }
    | expr '|' expr         { $$ = ast_binary(C, @$, OP_OR, $1, $3); }
    | expr "&&" expr        { $$ = ast_binary(C, @$, OP_LAND, $1, $3); }
    | expr "||" expr        { $$ = ast_binary(C, @$, OP_LOR, $1, $3); }
    | expr '?' expr ':' expr { $$ = ast_cond(C, @$, $1, $3, $5); }
    ;

postfix: primary
    | postfix '(' opt_args ')'  { $$ = ast_call(C, @$, $1, $opt_args); }
    | postfix '[' opt_args ']'  { $$ = ast_index(C, @$, $1, $opt_args); }
    | postfix '.' ident         { $$ = ast_member(C, @$, $1, plain_name($3, @3)); }
    ;

primary: NUMBER
    | STRING
    | TRUE                  { $$ = ast_bool(C, @$, true); }
    | FALSE                 { $$ = ast_bool(C, @$, false); }
    | TYPE                  { $$ = ast_type_expr(C, $1); }
    | TYPEOF '(' expr ')'   { TypeExpr *t = ARENA_NEW(ARENA, TypeExpr); *t = (TypeExpr){.kind = TE_TYPEOF, .of = $expr, .span = @$}; $$ = ast_type_expr(C, t); }
    | name                  { $$ = ast_name(C, $1); }
    | '(' expr ')'          { $$ = $2; }
    ;

%%

/* Called by the parser itself only when its stack is full. */
static void
snl_yyerror(const Span *at, void *scanner, ParseState *state, const char *message)
{
    (void)scanner;
    (void)message;
    diag(state->c, E0106, *at, "the program is nested too deeply here");
}

/* The token that the parser reads next: after an error, first what ends the statement for every rule that waits for its end: a
 * semicolon, or an empty block. */
static int
next_token(SNL_YYSTYPE *value, Span *at, void *scanner, ParseState *state)
{
    Recover *r = &state->recover;
    struct LastToken *last = state->last;
    int step = state->step++;
    if (r->kind == RECOVER_STATEMENT || r->kind == RECOVER_ITEM)
        while (last->kind && last->at.from < r->end)
            last->kind = snl_yylex(&last->value, &last->at, scanner);
    *at = (Span){last->at.from, last->at.from};
    bool closes = r->kind == RECOVER_CLOSE || r->kind == RECOVER_ITEM;
    if (closes && step <= r->braces)
        return step ? '}' : ';'; /* the semicolon is also for an if, which may wait for its else */
    if (r->kind != RECOVER_NOT && !closes && step < (r->kind == RECOVER_NEXT_ITEM ? 1 : 3))
        return ";{}"[step];
    bool again = r->kind == RECOVER_CLOSE || r->kind == RECOVER_BEFORE || r->kind == RECOVER_NEXT_ITEM;
    r->kind = RECOVER_NOT;
    if (!again)
        last->kind = snl_yylex(&last->value, &last->at, scanner);
    *value = last->value;
    *at = last->at;
    return last->kind;
}

static const char *
token_text(yysymbol_kind_t kind)
{
    const char *name = yysymbol_name(kind);
    return name[0] == '\'' || name[0] == 'a' || kind == YYSYMBOL_YYEOF || !strchr("abcdefghijklmnopqrstuvwxyz.&|=!<>", name[0])
               ? name
               : NULL;
}

/* Appends a token as the user writes it. */
static void
add_token(Text *t, yysymbol_kind_t kind)
{
    const char *plain = token_text(kind);
    if (plain)
        text_add(t, "%s", plain);
    else
        text_add(t, "'%s'", yysymbol_name(kind));
}

static bool
has_token(const yysymbol_kind_t *kinds, int n, yysymbol_kind_t kind)
{
    for (int i = 0; i < n; i++)
        if (kinds[i] == kind)
            return true;
    return false;
}

/* Leaves out words that are names, where a name or a loop may stand. */
static int
drop_soft_words(yysymbol_kind_t *kinds, int n)
{
    int kept = 0;
    if (!has_token(kinds, n, YYSYMBOL_IDENT) && !has_token(kinds, n, YYSYMBOL_FOR))
        return n;
    for (int i = 0; i < n; i++)
        if (kinds[i] != YYSYMBOL_GRADIENT && kinds[i] != YYSYMBOL_VJP && kinds[i] != YYSYMBOL_JVP)
            kinds[kept++] = kinds[i];
    return kept;
}

/* Keeps the signs that end or begin a part of the program, such as ; and {. */
static int
keep_signs(yysymbol_kind_t *kinds, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        const char *name = yysymbol_name(kinds[i]);
        if (name[0] == '\'' && strchr(";,:{}])", name[1]))
            kinds[kept++] = kinds[i];
    }
    return kept;
}

/* Appends what could stand here: each token where they are few, else the kind of thing, or the signs that end one. */
static void
add_expected(Text *t, const yypcontext_t *context)
{
    enum { SHOWN = 4 };
    yysymbol_kind_t kinds[YYNTOKENS];
    int n = drop_soft_words(kinds, yypcontext_expected_tokens(context, kinds, YYNTOKENS));
    if (n > SHOWN) {
        const char *thing = has_token(kinds, n, YYSYMBOL_RETURN)   ? "a statement"
                            : has_token(kinds, n, YYSYMBOL_KERNEL) ? "an item such as field or kernel"
                            : has_token(kinds, n, YYSYMBOL_NUMBER) ? "an expression"
                            : has_token(kinds, n, YYSYMBOL_TYPE)   ? "a type"
                                                                   : NULL;
        if (thing)
            text_add(t, ", expected %s", thing);
        n = thing ? 0 : keep_signs(kinds, n);
    }
    if (n == 2 && has_token(kinds, n, YYSYMBOL_IDENT) && has_token(kinds, n, YYSYMBOL_NODE)) { /* names of nodes are names, too */
        kinds[0] = YYSYMBOL_IDENT;
        n = 1;
    }
    for (int i = 0; i < n && n <= SHOWN; i++) {
        text_add(t, "%s", i == 0 ? ", expected " : i + 1 < n ? ", " : " or ");
        add_token(t, kinds[i]);
    }
}

/* What could stand here, in short. */
static Expected
expected_here(const yypcontext_t *context, Arena *a)
{
    yysymbol_kind_t kinds[YYNTOKENS];
    int n = yypcontext_expected_tokens(context, kinds, YYNTOKENS), count = 0;
    char *signs = arena_alloc(a, YYNTOKENS + 1);
    for (int i = 0; i < n; i++)
        if (yysymbol_name(kinds[i])[0] == '\'')
            signs[count++] = yysymbol_name(kinds[i])[1];
    return (Expected){.signs = signs, .item = has_token(kinds, n, YYSYMBOL_KERNEL), .statement = has_token(kinds, n, YYSYMBOL_RETURN),
                      .expression = has_token(kinds, n, YYSYMBOL_NUMBER)};
}

static void
note_name(ParseState *state, const Token *t)
{
    map_put(&C->lost, intern_strn(C->intern, t->text, (size_t)t->bytes), state);
}

/* Where a brace is not closed, the items of a static for are kept without it: notes its variables. */
static void
note_static_variables(ParseState *state)
{
    const Tokens *all = &state->tokens;
    bool fit = true;
    for (int i = 0; i < all->count && fit; i++)
        fit = all->items[i].kind != '{' || all->items[i].match >= 0;
    for (int i = 1; i < all->count && !fit; i++)
        if (all->items[i].kind == FOR && all->items[i - 1].kind == STATIC)
            for (i++; i < all->count - 1 && all->items[i].kind != IN; i++)
                if (all->items[i].kind == IDENT)
                    note_name(state, &all->items[i]);
}

/* Notes the names that the part which is left out declares. */
static void
note_lost(ParseState *state)
{
    note_static_variables(state);
    for (int i = state->recover.first; i <= state->recover.last; i++)
        if (recover_declares(&state->tokens, &state->recover, i))
            note_name(state, &state->tokens.items[i]);
}

/* Where braces do not fit, the function around the error is left out; true when something in its item is reported already. */
static bool
is_followed_up(ParseState *state, const Expected *expected, uint32_t before, Span at)
{
    const Tokens *t = &state->tokens;
    int i = tokens_at(t, at.from);
    uint32_t start = t->items[recover_item_start(t, i)].span.from;
    if (state->recover.kind == RECOVER_CLOSE)
        state->is_cut = true;
    bool is_known = t->items[i].kind == '}' && t->items[i].match >= 0; /* its '{' is left out */
    if (!state->recover.is_stray)
        return is_known && expected->item && before > start;
    if (state->finished.count && vec_last(&state->finished)->span.from >= start)
        drop_body(C, vec_last(&state->finished));
    return before > start;
}

static int
yyreport_syntax_error(const yypcontext_t *context, void *scanner, ParseState *state)
{
    (void)scanner;
    if (state->recover.kind != RECOVER_NOT) { /* what next_token gives does not fit either */
        state->recover.kind = RECOVER_NOT;
        return 0;
    }
    if (C->diags.count > state->endless && vec_last(&C->diags)->code == E0104) { /* what it swallowed is missing here */
        state->endless = C->diags.count;
        return 0;
    }
    yysymbol_kind_t found = yypcontext_token(context);
    Expected expected = expected_here(context, ARENA);
    Text t;
    text_init(&t, ARENA);
    text_add(&t, "unexpected ");
    const Span *at = yypcontext_location(context);
    const Source *source = state->module->source;
    uint32_t before = state->recovered;
    if (!state->tokens.count && !C->too_many)
        state->tokens = tokens_read(C, source);
    if (!C->too_many && (state->recovered != at->to || !at->to)) { /* at one place once: what follows is then read */
        state->recover = recover_from(&state->tokens, *at);
        state->recovered = at->to;
        note_lost(state);
        state->step = 0;
    }
    if (!C->too_many && is_followed_up(state, &expected, before, *at))
        return 0;
    expected.unclosed = state->recover.kind == RECOVER_CLOSE;
    expected.stray = state->recover.is_stray;
    if (!C->too_many && mistake_report(C, source, &state->tokens, *at, &expected))
        return 0;
    if (found == YYSYMBOL_IDENT || found == YYSYMBOL_TYPE || found == YYSYMBOL_NODE || found == YYSYMBOL_NUMBER || found == YYSYMBOL_ASSIGN_OP)
        text_add(&t, "'%.*s'", (int)(at->to - at->from > 40 ? 40 : at->to - at->from), source->text + (at->from - source->base));
    else
        add_token(&t, found);
    add_expected(&t, context);
    diag(C, E0105, *at, "%s", t.data);
    return 0;
}

/* The items of a file that ends inside of something: those that are finished, but for parts of others. */
static void
keep_finished(ParseState *state)
{
    for (int i = 0; i < state->finished.count; i++) {
        Item *item = state->finished.items[i];
        Items *kept = &state->module->items;
        while (kept->count && vec_last(kept)->span.from > item->span.from)
            kept->count--;
        vec_push(ARENA, kept, item);
    }
}

Module *
parse_source(Compile *c, const Source *source)
{
    Module *module = ARENA_NEW(c->syntax, Module);
    module->source = source;
    ScanState scan = {.c = c, .source = source};
    struct LastToken last = {0};
    ParseState state = {.c = c, .module = module, .last = &last};
    yyscan_t scanner = scan_start(&scan);
    if (!scanner)
        return module;
    if (yyparse(scanner, &state))
        keep_finished(&state);
    scan_end(scanner);
    return module;
}
