/* The arithmetic of stichkampf/engine/bits.py by instructions of the processor.

   build_engine.py puts QUICK_name(arguments) at the start of the function that mypyc wrote for `name` there. Where this
   file knows no quicker way, the macro is empty and the function goes on as Python states it; the results are the same.
   Which instructions there are is found out when the library is loaded, so that one file runs on every processor. */

#include <stdint.h>

#if defined(__GNUC__)

#include <Python.h>

/* What mypyc does about an exception is kept away from the path without one, and is not inlined there. */
__attribute__((cold)) void CPy_AddTraceback(const char *, const char *, int, PyObject *);
__attribute__((cold)) void CPy_AttributeError(const char *, const char *, const char *, const char *, int, PyObject *);
__attribute__((cold)) PyAPI_FUNC(void) PyErr_SetNone(PyObject *);
__attribute__((cold)) PyAPI_FUNC(void) PyErr_SetString(PyObject *, const char *);
__attribute__((cold)) PyAPI_FUNC(PyObject *) PyErr_Occurred(void);

#if defined(__x86_64__)
static int quick_popcnt, quick_pdep;

__attribute__((constructor)) static void find_quick_instructions(void) {
    __builtin_cpu_init();
    quick_popcnt = __builtin_cpu_supports("popcnt") != 0;
    /* AMD's processors before Zen 3 have pdep, but take up to some hundred cycles for one. */
    quick_pdep = __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("amdfam15h") && !__builtin_cpu_is("amdfam17h");
}
#endif

static inline int64_t quick_bit_count(int64_t mask) {
#if defined(__x86_64__)
    if (__builtin_expect(quick_popcnt, 1)) {
        uint64_t count;
        __asm__("popcntq %1, %0" : "=r"(count) : "r"((uint64_t)mask) : "cc");
        if (count > 64)
            __builtin_unreachable(); /* so it is not -113 either, which would say that there is an exception */
        return (int64_t)count;
    }
#endif
    return __builtin_popcountll((uint64_t)mask);
}

static inline int64_t quick_index_of(int64_t bit) {
    return __builtin_expect(bit != 0, 1) ? __builtin_ctzll((uint64_t)bit) : 0;
}

static inline int64_t quick_either(char condition, int64_t yes, int64_t no) {
#if defined(__x86_64__)
    __asm__("testb %1, %1\n\tcmovneq %2, %0" : "+r"(no) : "q"(condition), "r"(yes) : "cc");
    return no;
#else
    return condition ? yes : no;
#endif
}

static inline int64_t quick_nth_bit(int64_t mask, int64_t n) {
#if defined(__x86_64__)
    if (__builtin_expect(quick_pdep, 1)) {
        uint64_t found;
        __asm__("pdepq %2, %1, %0" : "=r"(found) : "r"((uint64_t)1 << n), "r"((uint64_t)mask));
        return (int64_t)found;
    }
#endif
    for (; n > 0; n--)
        mask &= mask - 1;
    return mask & -mask;
}

static inline int64_t quick_any_of(int64_t mask, int64_t x) {
    return quick_index_of(quick_nth_bit(mask, (x * quick_bit_count(mask)) >> 31));
}

/* Without a jump on which of the masks it is, because no processor could foresee that. */
static inline int64_t quick_nth_of_both(int64_t low, int64_t high, int64_t n, int64_t half) {
    int64_t beyond = n - quick_bit_count(low);
    int64_t in_low = beyond >> 63;
    return quick_index_of(quick_nth_bit((low & in_low) | (high & ~in_low), (n & in_low) | (beyond & ~in_low))) + (half & ~in_low);
}

static inline int64_t quick_top_bit(int64_t mask) {
    return mask ? (int64_t)((uint64_t)1 << (63 - __builtin_clzll((uint64_t)mask))) : 0;
}

static inline int64_t quick_next_random(int64_t x) {
    int64_t product = x * 48271;
    int64_t folded = (product & 0x7FFFFFFF) + (product >> 31);
    return folded >= 0x7FFFFFFF ? folded - 0x7FFFFFFF : folded;
}

static inline PyObject *quick_indices_of_both(int64_t low, int64_t high, int64_t first, int64_t half) {
    Py_ssize_t lower = quick_bit_count(low), length = lower + quick_bit_count(high);
    PyObject *found = PyList_New(length);
    uint64_t left = (uint64_t)low;
    for (Py_ssize_t k = 0; found != NULL && k < length; k++, left &= left - 1) {
        if (k == lower) {
            left = (uint64_t)high;
            first += half;
        }
        PyObject *position = PyLong_FromLongLong(first + __builtin_ctzll(left));
        if (position == NULL)
            Py_CLEAR(found);
        else
            PyList_SET_ITEM(found, k, position);
    }
    return found;
}

/* A list of the positions of the set bits. `given` has bit 0 where the caller gave `first`. */
static inline PyObject *quick_indices(int64_t mask, int64_t first, uint32_t given) {
    return quick_indices_of_both(mask, 0, given & 1 ? first : 0, 0);
}

static inline int64_t quick_indices_into(int64_t mask, int64_t first, int64_t *items, int64_t at) {
    for (uint64_t left = (uint64_t)mask; left; left &= left - 1)
        items[at++] = first + __builtin_ctzll(left);
    return at;
}

static inline int64_t quick_in_bytes(int64_t mask, int64_t eights, int64_t *items, int64_t at) {
    const uint64_t each = 0x0101010101010101u, bits = 0x8040201008040201u, rest = 0x7F7F7F7F7F7F7F7Fu;
    for (int64_t end = at + eights; at < end; at++, mask >>= 8)
        items[at] = (int64_t)(((((uint64_t)mask & 255) * each & bits) + rest) >> 7 & each);
    return at;
}

#define QUICK_bit_count(mask) return quick_bit_count(mask);
#define QUICK_either(condition, yes, no) return quick_either(condition, yes, no);
#define QUICK_index_of(bit) return quick_index_of(bit);
#define QUICK_nth_bit(mask, n) return quick_nth_bit(mask, n);
#define QUICK_any_of(mask, x) return quick_any_of(mask, x);
#define QUICK_nth_of_both(low, high, n, half) return quick_nth_of_both(low, high, n, half);
#define QUICK_top_bit(mask) return quick_top_bit(mask);
#define QUICK_next_random(x) return quick_next_random(x);
#define QUICK_indices_of_both(low, high, first, half) return quick_indices_of_both(low, high, first, half);
#define QUICK_indices(mask, first, given) return quick_indices(mask, first, given);
/* What would not fit into the vec is left to the Python code, which raises the error. */
#define QUICK_indices_into(mask, first, into, at) \
    if (at >= 0 && at + quick_bit_count(mask) <= (into).len) return quick_indices_into(mask, first, (into).items, at);
#define QUICK_in_bytes(mask, eights, into, at) \
    if (at >= 0 && at + eights <= (into).len) return quick_in_bytes(mask, eights, (into).items, at);

#else

#define QUICK_bit_count(mask)
#define QUICK_either(condition, yes, no)
#define QUICK_index_of(bit)
#define QUICK_nth_bit(mask, n)
#define QUICK_any_of(mask, x)
#define QUICK_nth_of_both(low, high, n, half)
#define QUICK_top_bit(mask)
#define QUICK_next_random(x)
#define QUICK_indices_of_both(low, high, first, half)
#define QUICK_indices(mask, first, given)
#define QUICK_indices_into(mask, first, into, at)
#define QUICK_in_bytes(mask, eights, into, at)

#endif
