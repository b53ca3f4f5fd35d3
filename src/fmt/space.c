/* Blanks and possible ends of lines between tokens. */
#include "config.h"

#include "fmt/space.h"

#include <string.h>

#include "parse.h"

/* Costs of ending a line, added to DEPTH_COST for each bracket around the place. */
enum {
    COST_ATTRIBUTE = 1,
    COST_COMMA = 1,
    COST_LOR = 3,
    COST_LAND = 4,
    COST_COLON = 10,
    COST_COND = 14,
    COST_BITS = 12,
    COST_COMPARE = 14,
    CHOICES_COST = -9,
    COST_ADD = 16,
    COST_MULTIPLY = 21,
    COST_ASSIGN = 24,
    COST_RANGE = 24,
    COST_BRACKET = 30,
    COST_MEMBER = 60,
    DEPTH_COST = 14
};

/* Inside of a bracket, or the program itself. */
typedef struct {
    int kind; /* of the opening token, 0 for the program */
    int open; /* its number, -1 for the program */
    Role role;
    bool in_attribute;
    int conditions; /* `?` without their `:` */
    int choice;     /* the `:` of the last choice of the expression, 0 for none */
} Level;

typedef struct {
    Compile *c;
    const Tokens *t;
    Space *spaces;
    VEC(Level) levels;
    bool start; /* a statement may start here */
    int depth;
} Finder;

static bool
ends_operand(const Tokens *t, const Space *spaces, int i)
{
    if (i < 0)
        return false;
    switch (t->items[i].kind) {
    case IDENT: case NODE: case TYPE: case NUMBER: case STRING: case TRUE: case FALSE:
        case ')': case ']': return true;
    case '}': return spaces[i].role == ROLE_LIST;
    default: return false;
    }
}

/* `step` between two operands is a word of ranges. */
static bool
is_step(const Tokens *t, const Space *spaces, int i)
{
    return i > 0 && t->items[i].kind == IDENT && token_is(&t->items[i], "step") &&
           ends_operand(t, spaces, i - 1);
}

static bool
is_unary(const Tokens *t, const Space *spaces, int i)
{
    int kind = t->items[i].kind;
    return kind == '!' || kind == '~' ||
           ((kind == '-' || kind == '+') &&
            (!ends_operand(t, spaces, i - 1) || is_step(t, spaces, i - 1)));
}

static Role
role_of(const Finder *f, int i)
{
    const Token *token = &f->t->items[i];
    const Level *level = &vec_last(&f->levels);
    switch (token->kind) {
    case '@': return f->start ? ROLE_ATTRIBUTE : ROLE_PLAIN;
    case ':': return level->conditions ? ROLE_PLAIN : ROLE_LABEL;
    case '{':
        return level->role == ROLE_LIST || (i > 0 && f->t->items[i - 1].kind == '=') ? ROLE_LIST
                                                                                     : ROLE_BLOCK;
    case '}': return level->kind == '{' ? level->role : ROLE_BLOCK;
    default: return is_unary(f->t, f->spaces, i) ? ROLE_UNARY : ROLE_PLAIN;
    }
}

/* Cost of ending the line after a token. */
static int
cost_after(const Token *token, Role role)
{
    if (role == ROLE_UNARY || role == ROLE_ATTRIBUTE || role == ROLE_LABEL)
        return 0;
    switch (token->kind) {
    case ',': return COST_COMMA;
    case LOR: return COST_LOR;
    case LAND: return COST_LAND;
    case '|': case '^': case '&': return COST_BITS;
    case EQ: case NE: case '<': case '>': case LE: case GE: return COST_COMPARE;
    case SHL: case SHR: case '+': case '-': return COST_ADD;
    case '*': case '/': case '%': case '@': return COST_MULTIPLY;
    case '=': case ASSIGN_OP: case IN: return COST_ASSIGN;
    case DOTDOT: return COST_RANGE;
    case '(': case '[': return COST_BRACKET;
    case '{': return role == ROLE_LIST ? COST_BRACKET : 0;
    default: return 0;
    }
}

static int
cost_before(const Tokens *t, const Space *spaces, int i)
{
    switch (t->items[i].kind) {
    case '?': return COST_COND;
    case ':': return spaces[i].role == ROLE_LABEL ? 0 : COST_COLON;
    case '.': return COST_MEMBER;
    case IDENT: return is_step(t, spaces, i) ? COST_RANGE : 0;
    default: return 0;
    }
}

/* True when the two would be read in another way without a blank. */
static bool
would_join(const Token *a, const Token *b)
{
    char last = a->text[a->bytes - 1], first = b->text[0];
    return (last == '.' && first == '.') || (strchr("+-", last) && last == first && a->bytes == 1);
}

/* True for what a call or cast stands behind. */
static bool
takes_arguments(int kind)
{
    return kind == IDENT || kind == NODE || kind == TYPE || kind == TYPEOF ||
           kind == STATIC_ASSERT || kind == ')' || kind == ']';
}

static bool
blank_before(const Tokens *t, const Space *spaces, int i)
{
    const Token *before = &t->items[i - 1], *token = &t->items[i];
    if (would_join(before, token))
        return true;
    switch (token->kind) {
    case ')': case ']': case ',': case '.': case DOTDOT: case '#': case '[': return false;
    case ';': return spaces[i - 1].role == ROLE_BLOCK && before->kind == '{';
    case ':': return spaces[i].role != ROLE_LABEL;
    case '(':
        if (takes_arguments(before->kind))
            return false;
        break;
    case '}':
        if (before->kind == '{')
            return false;
        break;
    default: break;
    }
    switch (before->kind) {
    case '(': case '[': case '.': case DOTDOT: case '#': return false;
    default: return spaces[i - 1].role != ROLE_UNARY && spaces[i - 1].role != ROLE_ATTRIBUTE;
    }
}

/* Notes `?` and `:`; before a choice that goes on with another one a line ends rather than before
 * the last. */
static void
follow_choices(Finder *f, int i)
{
    Level *level = &vec_last(&f->levels);
    int kind = f->t->items[i].kind;
    if (kind == '?') {
        level->conditions++;
        if (level->choice)
            f->spaces[level->choice].cost += CHOICES_COST;
        level->choice = 0;
    } else if (kind == ':' && level->conditions) {
        level->conditions--;
        level->choice = i;
    } else if (kind == ',' || kind == ';')
        level->choice = 0;
}

/* Goes into or out of brackets. */
static void
follow_brackets(Finder *f, int i)
{
    const Token *token = &f->t->items[i];
    Space *space = &f->spaces[i];
    if (token->match < 0)
        return;
    if (token->match > i) {
        bool in_attribute = token->kind == '(' && i > 1 && f->spaces[i - 2].role == ROLE_ATTRIBUTE;
        vec_push(
            f->c->syntax, &f->levels,
            (Level){
                .kind = token->kind, .open = i, .role = space->role, .in_attribute = in_attribute});
        f->depth = space->role == ROLE_BLOCK ? 0 : f->depth + 1;
        return;
    }
    bool was_attribute = vec_last(&f->levels).in_attribute;
    if (f->levels.count > 1)
        f->levels.count--;
    f->depth = space->role == ROLE_BLOCK ? 0 : f->depth - 1;
    f->start = was_attribute;
}

static void
find_one(Finder *f, int i)
{
    const Token *token = &f->t->items[i];
    Space *space = &f->spaces[i];
    space->role = role_of(f, i);
    space->starts = f->start;
    space->around = vec_last(&f->levels).open;
    bool closes = token->match >= 0 && token->match < i;
    space->depth = closes && space->role != ROLE_BLOCK ? f->depth - 1 : f->depth;
    if (i > 0) {
        space->blank = blank_before(f->t, f->spaces, i);
        int cost = cost_after(&f->t->items[i - 1], f->spaces[i - 1].role);
        if (!cost)
            cost = cost_before(f->t, f->spaces, i);
        if (vec_last(&f->levels).kind == '[' && f->t->items[i - 1].kind == ',')
            cost = COST_BRACKET; /* indices stay together */
        bool after_attribute =
            space->starts && f->spaces[i - 1].role != ROLE_BLOCK && f->t->items[i - 1].kind != ';';
        if (after_attribute)
            cost = COST_ATTRIBUTE;
        bool stays = closes || strchr(",;)]", token->kind < 128 ? token->kind : 'x') ||
                     token->kind == DOTDOT;
        space->cost = cost && !stays ? cost + DEPTH_COST * space->depth : 0;
    }
    follow_choices(f, i);
    bool attribute_name = i > 0 && f->spaces[i - 1].role == ROLE_ATTRIBUTE;
    f->start = (attribute_name && f->t->items[i + 1].kind != '(') ||
               (token->kind == ';' && !f->depth) || space->role == ROLE_BLOCK;
    follow_brackets(f, i);
    if (space->role == ROLE_BLOCK)
        f->start = true;
}

Space *
space_find(Compile *c, const Tokens *t)
{
    Finder f = {.c = c, .t = t, .spaces = ARENA_ARRAY(c->syntax, Space, t->count), .start = true};
    vec_push(c->syntax, &f.levels, (Level){.open = -1});
    for (int i = 0; i + 1 < t->count; i++)
        find_one(&f, i);
    return f.spaces;
}
