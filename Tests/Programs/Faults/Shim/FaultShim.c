#define _GNU_SOURCE
#include "FaultShim.h"

#ifdef __linux__
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DESCRIPTORS 4096
#define REAL(name, type) static __typeof__(type) real; if (!real) real = (__typeof__(type))dlsym(RTLD_NEXT, #name)

static struct { int kind, error, mode; int64_t number; } plan;
static fault_report *report;
static atomic_int armed, recording, half_done;
static char directory[4096];
static size_t directory_length;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// An open descriptor of a file below the directory. `file` is the number of a recorded file.
static struct { char is_used, is_directory, is_recorded; int file; } descriptors[DESCRIPTORS];

// MARK: Failing

static int is_change(int kind) {
    return kind == FAULT_WRITE || kind == FAULT_SYNC || kind == FAULT_TRUNCATE || kind == FAULT_REMOVE;
}

// Returns whether a call fails, with errno, or sets `half` if only a half of it is to be done.
static int fails(int kind, int *half) {
    if (!armed) return 0;
    int64_t number = __atomic_add_fetch(&report->calls[kind], 1, __ATOMIC_RELAXED);
    if (is_change(kind)) {
        int64_t change = __atomic_add_fetch(&report->calls[FAULT_CHANGE], 1, __ATOMIC_RELAXED);
        if (plan.kind == FAULT_CHANGE) number = change;
    }
    if (plan.kind != kind && !(plan.kind == FAULT_CHANGE && is_change(kind))) return 0;
    if (atomic_exchange(&half_done, 0)) { errno = plan.error; return 1; }
    if (number != plan.number && !(plan.mode == FAULT_ALWAYS && plan.number && number > plan.number)) return 0;
    report->fired = 1;
    if (plan.mode == FAULT_KILL && !half) { kill(getpid(), SIGKILL); pause(); }
    if (plan.mode == FAULT_KILL) { *half = 1; return 0; }
    if (plan.mode == FAULT_HALF && half) { *half = 1; half_done = 1; return 0; }
    errno = plan.error;
    return 1;
}

static ssize_t done_half(ssize_t result) {
    if (plan.mode == FAULT_KILL) { kill(getpid(), SIGKILL); pause(); }
    return result;
}

// MARK: Recording

static struct { fault_event *items; int64_t count, capacity; } events;
// The recorded files by inode; a later one with the same number replaces a removed one.
static struct { ino_t inode; int file; } files[1024];
static int file_count, file_entries;

static void record(fault_event event) {
    if (events.count == events.capacity) {
        events.capacity = events.capacity ? events.capacity * 2 : 1024;
        events.items = realloc(events.items, events.capacity * sizeof(fault_event));
        if (!events.items) abort();
    }
    if (event.data) {
        void *copy = malloc(event.length ? event.length : 1);
        if (!copy) abort();
        event.data = memcpy(copy, event.data, event.length);
    }
    events.items[events.count++] = event;
}
static char *relative(const char *path) { return strdup(path + directory_length + 1); }

// The shared memory of SQLite does not survive a power failure, and the files of locks and events have no content.
static int is_lasting(const char *path) {
    static const char *const suffixes[] = { "-shm", "-events", "-consumers" };
    size_t length = strlen(path);
    for (int i = 0; i < 3; i++) {
        size_t count = strlen(suffixes[i]);
        if (length > count && !strcmp(path + length - count, suffixes[i])) return 0;
    }
    return 1;
}

static int is_watched(const char *path) {
    return armed && path && !strncmp(path, directory, directory_length)
        && (path[directory_length] == '/' || !path[directory_length]);
}

static void opened(int descriptor, const char *path, int existed) {
    struct stat status;
    if (descriptor < 0 || descriptor >= DESCRIPTORS || fstat(descriptor, &status)) return;
    int is_directory = S_ISDIR(status.st_mode), file = -1;
    int is_recorded = recording && (is_directory || is_lasting(path));
    if (is_recorded && !is_directory) {
        for (int i = 0; existed && i < file_entries; i++) if (files[i].inode == status.st_ino) file = files[i].file;
        if (file < 0) {
            if (file_entries == 1024) abort();
            file = file_count++;
            for (int i = 0; i < file_entries; i++) if (files[i].inode == status.st_ino) files[i].file = -1;
            files[file_entries].inode = status.st_ino;
            files[file_entries++].file = file;
            record((fault_event){ existed ? FAULT_FOUND : FAULT_CREATED, file, 0, 0, NULL, relative(path), NULL });
        }
    }
    descriptors[descriptor].is_used = 1;
    descriptors[descriptor].is_directory = is_directory;
    descriptors[descriptor].is_recorded = is_recorded;
    descriptors[descriptor].file = file;
}
static int is_used(int descriptor) {
    return armed && descriptor >= 0 && descriptor < DESCRIPTORS && descriptors[descriptor].is_used;
}
static int is_recorded(int descriptor) { return recording && descriptors[descriptor].is_recorded; }

// MARK: The calls

typedef int (*open_function)(const char *, int, ...);
static int do_open(open_function real, const char *path, int flags, mode_t mode) {
    if (!is_watched(path)) return real(path, flags, mode);
    if (fails(FAULT_OPEN, NULL)) return -1;
    pthread_mutex_lock(&mutex);
    int existed = !faccessat(AT_FDCWD, path, F_OK, 0), descriptor = real(path, flags, mode), error = errno;
    opened(descriptor, path, existed);
    pthread_mutex_unlock(&mutex);
    errno = error;
    return descriptor;
}
#define OPEN(name) int name(const char *path, int flags, ...) { \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list list; va_start(list, flags); mode = va_arg(list, int); va_end(list); } \
    REAL(name, open_function); return do_open(real, path, flags, mode); }
OPEN(open)
OPEN(open64)

int close(int descriptor) {
    REAL(close, int (*)(int));
    if (descriptor >= 0 && descriptor < DESCRIPTORS) descriptors[descriptor].is_used = 0;
    return real(descriptor);
}

typedef ssize_t (*pwrite_function)(int, const void *, size_t, off_t);
static ssize_t do_pwrite(pwrite_function real, int descriptor, const void *bytes, size_t count, off_t offset) {
    if (!is_used(descriptor)) return real(descriptor, bytes, count, offset);
    int half = 0;
    if (fails(FAULT_WRITE, &half)) return -1;
    if (half) return done_half(real(descriptor, bytes, count > 1 ? count / 2 : 1, offset));
    if (!is_recorded(descriptor)) return real(descriptor, bytes, count, offset);
    pthread_mutex_lock(&mutex);
    ssize_t result = real(descriptor, bytes, count, offset);
    int error = errno;
    if (result > 0)
        record((fault_event){ FAULT_WRITTEN, descriptors[descriptor].file, offset, result, bytes, NULL, NULL });
    pthread_mutex_unlock(&mutex);
    errno = error;
    return result;
}
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    REAL(pwrite, pwrite_function);
    return do_pwrite(real, descriptor, bytes, count, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    REAL(pwrite64, pwrite_function);
    return do_pwrite(real, descriptor, bytes, count, offset);
}
ssize_t write(int descriptor, const void *bytes, size_t count) {
    REAL(write, ssize_t (*)(int, const void *, size_t));
    if (!is_used(descriptor)) return real(descriptor, bytes, count);
    int half = 0;
    if (fails(FAULT_WRITE, &half)) return -1;
    if (half) return done_half(real(descriptor, bytes, count > 1 ? count / 2 : 1));
    if (!is_recorded(descriptor)) return real(descriptor, bytes, count);
    pthread_mutex_lock(&mutex);
    ssize_t result = real(descriptor, bytes, count);
    int error = errno;
    if (result > 0) {
        off_t end = lseek(descriptor, 0, SEEK_CUR);
        record((fault_event){ FAULT_WRITTEN, descriptors[descriptor].file, end - result, result, bytes, NULL, NULL });
    }
    pthread_mutex_unlock(&mutex);
    errno = error;
    return result;
}

typedef ssize_t (*pread_function)(int, void *, size_t, off_t);
#define PREAD(name, offset_type) ssize_t name(int descriptor, void *bytes, size_t count, offset_type offset) { \
    REAL(name, pread_function); \
    int half = 0; \
    if (is_used(descriptor) && fails(FAULT_READ, &half)) return -1; \
    if (half) return done_half(real(descriptor, bytes, count > 1 ? count / 2 : 1, offset)); \
    return real(descriptor, bytes, count, offset); }
PREAD(pread, off_t)
PREAD(pread64, off64_t)
ssize_t read(int descriptor, void *bytes, size_t count) {
    REAL(read, ssize_t (*)(int, void *, size_t));
    int half = 0;
    if (is_used(descriptor) && fails(FAULT_READ, &half)) return -1;
    if (half) return done_half(real(descriptor, bytes, count > 1 ? count / 2 : 1));
    return real(descriptor, bytes, count);
}

typedef int (*truncate_function)(int, off_t);
static int do_truncate(truncate_function real, int descriptor, off_t length) {
    if (!is_used(descriptor)) return real(descriptor, length);
    if (fails(FAULT_TRUNCATE, NULL)) return -1;
    pthread_mutex_lock(&mutex);
    int result = real(descriptor, length), error = errno;
    if (!result && is_recorded(descriptor))
        record((fault_event){ FAULT_TRUNCATED, descriptors[descriptor].file, length, 0, NULL, NULL, NULL });
    pthread_mutex_unlock(&mutex);
    errno = error;
    return result;
}
int ftruncate(int descriptor, off_t length) {
    REAL(ftruncate, truncate_function);
    return do_truncate(real, descriptor, length);
}
int ftruncate64(int descriptor, off64_t length) {
    REAL(ftruncate64, truncate_function);
    return do_truncate(real, descriptor, length);
}

// The images are what counts, not the disk of this machine.
#define SYNC(name) int name(int descriptor) { \
    REAL(name, int (*)(int)); \
    if (!is_used(descriptor)) return real(descriptor); \
    if (fails(FAULT_SYNC, NULL)) return -1; \
    pthread_mutex_lock(&mutex); \
    if (is_recorded(descriptor)) { \
        int type = descriptors[descriptor].is_directory ? FAULT_DIRECTORY_SYNCED : FAULT_SYNCED; \
        record((fault_event){ type, descriptors[descriptor].file, 0, 0, NULL, NULL, NULL }); \
    } \
    pthread_mutex_unlock(&mutex); \
    return 0; }
SYNC(fsync)
SYNC(fdatasync)

int unlink(const char *path) {
    REAL(unlink, int (*)(const char *));
    if (!is_watched(path)) return real(path);
    if (fails(FAULT_REMOVE, NULL)) return -1;
    pthread_mutex_lock(&mutex);
    int result = real(path), error = errno;
    if (!result && recording && is_lasting(path))
        record((fault_event){ FAULT_REMOVED, -1, 0, 0, NULL, relative(path), NULL });
    pthread_mutex_unlock(&mutex);
    errno = error;
    return result;
}
int rename(const char *path, const char *other) {
    REAL(rename, int (*)(const char *, const char *));
    if (!is_watched(path)) return real(path, other);
    if (fails(FAULT_REMOVE, NULL)) return -1;
    pthread_mutex_lock(&mutex);
    int result = real(path, other), error = errno;
    if (!result && recording && is_watched(other))
        record((fault_event){ FAULT_RENAMED, -1, 0, 0, NULL, relative(path), relative(other) });
    pthread_mutex_unlock(&mutex);
    errno = error;
    return result;
}

static int is_lock(int command, void *argument) {
    return (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW)
        && ((struct flock *)argument)->l_type != F_UNLCK;
}
#define FCNTL(name) int name(int descriptor, int command, ...) { \
    va_list list; va_start(list, command); void *argument = va_arg(list, void *); va_end(list); \
    REAL(name, int (*)(int, int, ...)); \
    if (is_used(descriptor) && is_lock(command, argument) && fails(FAULT_LOCK, NULL)) return -1; \
    return real(descriptor, command, argument); }
FCNTL(fcntl)
FCNTL(fcntl64)

#define MAP(name, offset_type) void *name(void *at, size_t length, int access, int flags, int descriptor, offset_type offset) { \
    REAL(name, void *(*)(void *, size_t, int, int, int, off_t)); \
    if (descriptor >= 0 && is_used(descriptor) && fails(FAULT_MAP, NULL)) return MAP_FAILED; \
    return real(at, length, access, flags, descriptor, offset); }
MAP(mmap, off_t)
MAP(mmap64, off64_t)

#define STAT(name, type) int name(const char *path, struct type *status) { \
    REAL(name, int (*)(const char *, struct type *)); \
    if (is_watched(path) && fails(FAULT_STAT, NULL)) return -1; \
    return real(path, status); }
STAT(stat, stat)
STAT(stat64, stat64)
STAT(lstat, stat)
STAT(lstat64, stat64)

// MARK: Memory

static sqlite3_mem_methods memory;
static void *allocate(int count) { return fails(FAULT_MEMORY, NULL) ? NULL : memory.xMalloc(count); }
static void *reallocate(void *bytes, int count) {
    return fails(FAULT_MEMORY, NULL) ? NULL : memory.xRealloc(bytes, count);
}

// MARK: Control

int fault_install(void) {
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory) != SQLITE_OK) return 0;
    sqlite3_mem_methods methods = memory;
    methods.xMalloc = allocate;
    methods.xRealloc = reallocate;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK;
}

fault_report *fault_share(void) {
    void *shared = mmap(NULL, sizeof(fault_report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) abort();
    return shared;
}

void fault_arm(const char *path, fault_report *shared, int kind, int64_t number, int error, int mode) {
    snprintf(directory, sizeof directory, "%s", path);
    directory_length = strlen(directory);
    report = shared;
    plan.kind = kind;
    plan.number = number;
    plan.error = error;
    plan.mode = mode;
    half_done = 0;
    armed = 1;
}
void fault_record(void) { recording = 1; }
void fault_mark(int begun, int acknowledged) {
    pthread_mutex_lock(&mutex);
    if (recording) record((fault_event){ FAULT_MARK, -1, begun, acknowledged, NULL, NULL, NULL });
    pthread_mutex_unlock(&mutex);
}
void fault_disarm(void) { armed = 0; recording = 0; }
const fault_event *fault_events(int64_t *count) { *count = events.count; return events.items; }

int fault_fork(unsigned seconds) {
    fflush(NULL);
    int process = fork();
    if (process < 0) { perror("fork"); abort(); }
    if (!process) alarm(seconds);
    return process;
}
void fault_extend(unsigned seconds) { alarm(seconds); }
int fault_wait(int process) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {}
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}
void fault_exit(int code) { _exit(code); }

int fault_write_file(const char *path, const void *bytes, int64_t count) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor < 0) return -1;
    const char *next = bytes;
    while (count > 0) {
        ssize_t result = write(descriptor, next, count);
        if (result <= 0) break;
        next += result;
        count -= result;
    }
    return close(descriptor) || count ? -1 : 0;
}

uint64_t fault_hash(const void *bytes, int64_t count, uint64_t seed) {
    uint64_t hash = seed ^ 0xcbf29ce484222325, word;
    const char *next = bytes;
    for (; count >= 8; count -= 8, next += 8) {
        memcpy(&word, next, 8);
        hash = (hash ^ word) * 0x100000001b3;
        hash ^= hash >> 29;
    }
    for (; count > 0; count--) hash = (hash ^ (uint8_t)*next++) * 0x100000001b3;
    return hash;
}
#else
int fault_install(void) { return 0; }
fault_report *fault_share(void) { static fault_report report; return &report; }
void fault_arm(const char *path, fault_report *report, int kind, int64_t number, int error, int mode) {}
void fault_record(void) {}
void fault_mark(int begun, int acknowledged) {}
void fault_disarm(void) {}
const fault_event *fault_events(int64_t *count) { *count = 0; return 0; }
int fault_fork(unsigned seconds) { return 1; }
void fault_extend(unsigned seconds) {}
int fault_wait(int process) { return 0; }
void fault_exit(int code) {}
int fault_write_file(const char *path, const void *bytes, int64_t count) { return -1; }
uint64_t fault_hash(const void *bytes, int64_t count, uint64_t seed) { return seed; }
#endif
