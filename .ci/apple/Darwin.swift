// Functions of Apple's Darwin module that differ from those of Glibc, with the signatures that Swift imports. They are in
// a separate module, because some have the name of a type.

@_exported public import DarwinTypes

// MARK: Files

@discardableResult public func fchmod(_: Int32, _: mode_t) -> Int32 { 0 }
@discardableResult public func chmod(_: UnsafePointer<CChar>!, _: mode_t) -> Int32 { 0 }
@discardableResult public func fcntl(_: Int32, _: Int32) -> Int32 { 0 }
@discardableResult public func fcntl(_: Int32, _: Int32, _: Int32) -> Int32 { 0 }
@discardableResult public func fcntl(_: Int32, _: Int32, _: UnsafeMutableRawPointer) -> Int32 { 0 }
@discardableResult public func flock(_: Int32, _: Int32) -> Int32 { 0 }
@discardableResult public func fstat(_: Int32, _: UnsafeMutablePointer<DarwinTypes.stat>!) -> Int32 { 0 }
@discardableResult public func ioctl(_: Int32, _: UInt, _: Int32) -> Int32 { 0 }
@discardableResult public func ioctl(_: Int32, _: UInt, _: UnsafeMutableRawPointer) -> Int32 { 0 }
@discardableResult public func ioctl(_: Int32, _: UInt) -> Int32 { 0 }
@discardableResult public func lstat(
    _: UnsafePointer<CChar>!, _: UnsafeMutablePointer<DarwinTypes.stat>!
) -> Int32 { 0 }
@discardableResult public func mkdir(_: UnsafePointer<CChar>!, _: mode_t) -> Int32 { 0 }
@discardableResult public func open(_: UnsafePointer<CChar>, _: Int32) -> Int32 { 0 }
@discardableResult public func open(_: UnsafePointer<CChar>, _: Int32, _: mode_t) -> Int32 { 0 }
@discardableResult public func poll(_: UnsafeMutablePointer<pollfd>!, _: nfds_t, _: Int32) -> Int32 { 0 }
@discardableResult public func stat(
    _: UnsafePointer<CChar>!, _: UnsafeMutablePointer<DarwinTypes.stat>!
) -> Int32 { 0 }
@discardableResult public func umask(_: mode_t) -> mode_t { 0 }

// MARK: Sockets

@discardableResult public func accept(
    _: Int32, _: UnsafeMutablePointer<sockaddr>!, _: UnsafeMutablePointer<socklen_t>!
) -> Int32 { 0 }
@discardableResult public func bind(_: Int32, _: UnsafePointer<sockaddr>!, _: socklen_t) -> Int32 { 0 }
@discardableResult public func connect(_: Int32, _: UnsafePointer<sockaddr>!, _: socklen_t) -> Int32 { 0 }
@discardableResult public func getsockname(
    _: Int32, _: UnsafeMutablePointer<sockaddr>!, _: UnsafeMutablePointer<socklen_t>!
) -> Int32 { 0 }
@discardableResult public func shutdown(_: Int32, _: Int32) -> Int32 { 0 }
@discardableResult public func socket(_: Int32, _: Int32, _: Int32) -> Int32 { 0 }
@discardableResult public func socketpair(
    _: Int32, _: Int32, _: Int32, _: UnsafeMutablePointer<Int32>!
) -> Int32 { 0 }

// MARK: Processes, threads and signals

@discardableResult public func posix_spawn_file_actions_addclose(
    _: UnsafeMutablePointer<posix_spawn_file_actions_t?>!, _: Int32
) -> Int32 { 0 }
@discardableResult public func posix_spawn_file_actions_adddup2(
    _: UnsafeMutablePointer<posix_spawn_file_actions_t?>!, _: Int32, _: Int32
) -> Int32 { 0 }
@discardableResult public func posix_spawn_file_actions_destroy(
    _: UnsafeMutablePointer<posix_spawn_file_actions_t?>!
) -> Int32 { 0 }
@discardableResult public func posix_spawn_file_actions_init(
    _: UnsafeMutablePointer<posix_spawn_file_actions_t?>!
) -> Int32 { 0 }
@discardableResult public func posix_spawnattr_destroy(_: UnsafeMutablePointer<posix_spawnattr_t?>!) -> Int32 { 0 }
@discardableResult public func posix_spawnattr_init(_: UnsafeMutablePointer<posix_spawnattr_t?>!) -> Int32 { 0 }
@discardableResult public func posix_spawnattr_setflags(
    _: UnsafeMutablePointer<posix_spawnattr_t?>!, _: Int16
) -> Int32 { 0 }
@discardableResult public func posix_spawnattr_setsigdefault(
    _: UnsafeMutablePointer<posix_spawnattr_t?>!, _: UnsafePointer<sigset_t>!
) -> Int32 { 0 }
@discardableResult public func posix_spawnp(
    _: UnsafeMutablePointer<pid_t>!, _: UnsafePointer<CChar>!, _: UnsafePointer<posix_spawn_file_actions_t?>!,
    _: UnsafePointer<posix_spawnattr_t?>!, _: UnsafePointer<UnsafeMutablePointer<CChar>?>!,
    _: UnsafePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 { 0 }
@discardableResult public func pthread_getspecific(_: pthread_key_t) -> UnsafeMutableRawPointer? { nil }
@discardableResult public func pthread_key_create(
    _: UnsafeMutablePointer<pthread_key_t>!, _: (@convention(c) (UnsafeMutableRawPointer) -> Void)?
) -> Int32 { 0 }
public func pthread_self() -> pthread_t { fatalError() }
@discardableResult public func pthread_setname_np(_: UnsafePointer<CChar>) -> Int32 { 0 }
@discardableResult public func pthread_setspecific(_: pthread_key_t, _: UnsafeRawPointer?) -> Int32 { 0 }
@discardableResult public func sigaddset(_: UnsafeMutablePointer<sigset_t>!, _: Int32) -> Int32 { 0 }
@discardableResult public func sigemptyset(_: UnsafeMutablePointer<sigset_t>!) -> Int32 { 0 }

// MARK: Functions that Darwin does not have

@available(*, unavailable) public func fdatasync(_: Int32) -> Int32 { 0 }
@available(*, unavailable) public func inotify_init1(_: Int32) -> Int32 { 0 }
@available(*, unavailable) public func pipe2(_: UnsafeMutablePointer<Int32>!, _: Int32) -> Int32 { 0 }
@available(*, unavailable) public func accept4(
    _: Int32, _: UnsafeMutablePointer<sockaddr>!, _: UnsafeMutablePointer<socklen_t>!, _: Int32
) -> Int32 { 0 }
@available(*, unavailable) public func gettid() -> pid_t { 0 }

// MARK: Functions of Glibc that would be overloads, because other types are used for the same parameters

@available(*, unavailable) public func accept(
    _: Int32, _: UnsafeMutablePointer<GlibcSocketAddress>!, _: UnsafeMutablePointer<socklen_t>!
) -> Int32 { 0 }
@available(*, unavailable) public func chmod(_: UnsafePointer<CChar>!, _: UInt32) -> Int32 { 0 }
@available(*, unavailable) public func fchmod(_: Int32, _: UInt32) -> Int32 { 0 }
@available(*, unavailable) public func mkdir(_: UnsafePointer<CChar>!, _: UInt32) -> Int32 { 0 }
@available(*, unavailable) public func open(_: UnsafePointer<CChar>, _: Int32, _: UInt32) -> Int32 { 0 }
@available(*, unavailable) public func poll(_: UnsafeMutablePointer<pollfd>!, _: UInt, _: Int32) -> Int32 { 0 }
@available(*, unavailable) public func pthread_getspecific(_: UInt32) -> UnsafeMutableRawPointer? { nil }
@available(*, unavailable) public func pthread_key_create(
    _: UnsafeMutablePointer<UInt32>!, _: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
) -> Int32 { 0 }
@available(*, unavailable) public func pthread_setspecific(_: UInt32, _: UnsafeRawPointer?) -> Int32 { 0 }
@available(*, unavailable) public func umask(_: UInt32) -> UInt32 { 0 }
