/* The arithmetic of stichkampf/engine/bits.py by instructions of the processor.

   build_engine.py puts QUICK_name(arguments) at the start of the function that mypyc wrote for `name` there. Where this
   file knows no quicker way, the macro is empty and the function goes on as Python states it; the results are the same.
   Which instructions there are is found out when the library is loaded, so that one file runs on every processor. */

#include <stdint.h>

#if defined(__GNUC__)

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
        return (int64_t)count;
    }
#endif
    return __builtin_popcountll((uint64_t)mask);
}

static inline int64_t quick_index_of(int64_t bit) {
    return bit ? __builtin_ctzll((uint64_t)bit) : 0;
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

static inline int64_t quick_top_bit(int64_t mask) {
    return mask ? (int64_t)((uint64_t)1 << (63 - __builtin_clzll((uint64_t)mask))) : 0;
}

static inline int64_t quick_next_random(int64_t x) {
    int64_t product = x * 48271;
    int64_t folded = (product & 0x7FFFFFFF) + (product >> 31);
    return folded >= 0x7FFFFFFF ? folded - 0x7FFFFFFF : folded;
}

#define QUICK_bit_count(mask) return quick_bit_count(mask);
#define QUICK_index_of(bit) return quick_index_of(bit);
#define QUICK_nth_bit(mask, n) return quick_nth_bit(mask, n);
#define QUICK_any_of(mask, x) return quick_any_of(mask, x);
#define QUICK_top_bit(mask) return quick_top_bit(mask);
#define QUICK_next_random(x) return quick_next_random(x);

#else

#define QUICK_bit_count(mask)
#define QUICK_index_of(bit)
#define QUICK_nth_bit(mask, n)
#define QUICK_any_of(mask, x)
#define QUICK_top_bit(mask)
#define QUICK_next_random(x)

#endif
