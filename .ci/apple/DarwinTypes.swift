// Types and values of Apple's Darwin module that differ from those of Glibc, with the types of Apple's headers. What is
// the same in both comes from Glibc. The values have no meaning: nothing that is built with this module runs.

@_exported public import Foundation
public import Glibc

// MARK: Types

public typealias blkcnt_t = Int64
public typealias dev_t = Int32
public typealias ino_t = UInt64
public typealias mode_t = UInt16
public typealias nfds_t = UInt32
public typealias nlink_t = UInt16
public typealias pthread_key_t = UInt
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>
public typealias sa_family_t = UInt8
public typealias in_addr_t = UInt32
public typealias sigset_t = UInt32
public typealias suseconds_t = Int32
public typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
public typealias posix_spawnattr_t = UnsafeMutableRawPointer

public struct _opaque_pthread_t {}

public struct stat {
    public var st_dev: dev_t = 0
    public var st_mode: mode_t = 0
    public var st_nlink: nlink_t = 0
    public var st_ino: ino_t = 0
    public var st_uid: uid_t = 0
    public var st_gid: gid_t = 0
    public var st_rdev: dev_t = 0
    public var st_atimespec = timespec()
    public var st_mtimespec = timespec()
    public var st_ctimespec = timespec()
    public var st_birthtimespec = timespec()
    public var st_size: off_t = 0
    public var st_blocks: blkcnt_t = 0
    public var st_blksize: Int32 = 0
    public var st_flags: UInt32 = 0
    public var st_gen: UInt32 = 0
    public init() {}
}

public struct flock {
    public var l_start: off_t = 0
    public var l_len: off_t = 0
    public var l_pid: pid_t = 0
    public var l_type: Int16 = 0
    public var l_whence: Int16 = 0
    public init() {}
}

public struct timeval {
    public var tv_sec = 0
    public var tv_usec: suseconds_t = 0
    public init() {}
    public init(tv_sec: Int, tv_usec: suseconds_t) {}
}

public struct sockaddr {
    public var sa_len: UInt8 = 0
    public var sa_family: sa_family_t = 0
    public init() {}
}

public struct sockaddr_in {
    public var sin_len: UInt8 = 0
    public var sin_family: sa_family_t = 0
    public var sin_port: in_port_t = 0
    public var sin_addr = in_addr()
    public init() {}
}

public struct sockaddr_in6 {
    public var sin6_len: UInt8 = 0
    public var sin6_family: sa_family_t = 0
    public var sin6_port: in_port_t = 0
    public var sin6_flowinfo: UInt32 = 0
    public var sin6_addr = in6_addr()
    public var sin6_scope_id: UInt32 = 0
    public init() {}
}

/// For functions with the signatures of Glibc.
public typealias GlibcSocketAddress = Glibc.sockaddr

// MARK: Values of other types

public let IPPROTO_IPV6: Int32 = 0
public let IPPROTO_TCP: Int32 = 0
public let S_IFDIR: mode_t = 0
public let S_IFIFO: mode_t = 0
public let S_IFLNK: mode_t = 0
public let S_IFMT: mode_t = 0
public let S_IFREG: mode_t = 0
public let SHUT_RD: Int32 = 0
public let SHUT_RDWR: Int32 = 0
public let SHUT_WR: Int32 = 0
public let SOCK_DGRAM: Int32 = 0
public let SOCK_STREAM: Int32 = 0
public let MSG_DONTWAIT: Int32 = 0
public let MSG_PEEK: Int32 = 0
public let TIOCGWINSZ: UInt = 0

// MARK: Values that only Darwin has

public let F_FULLFSYNC: Int32 = 0
public let O_EVTONLY: Int32 = 0
public let SO_NOSIGPIPE: Int32 = 0

// MARK: Values that Darwin does not have

@available(*, unavailable)
public let IN_ACCESS: Int32 = 0
@available(*, unavailable)
public let IN_CLOEXEC: Int32 = 0
@available(*, unavailable)
public let IN_CREATE: Int32 = 0
@available(*, unavailable)
public let IN_MODIFY: Int32 = 0
@available(*, unavailable)
public let IN_NONBLOCK: Int32 = 0
@available(*, unavailable)
public let MSG_NOSIGNAL: Int32 = 0
@available(*, unavailable)
public let O_DIRECT: Int32 = 0
@available(*, unavailable)
public let O_TMPFILE: Int32 = 0
@available(*, unavailable)
public let SOCK_CLOEXEC: Int32 = 0
@available(*, unavailable)
public let SOCK_NONBLOCK: Int32 = 0
@available(*, unavailable)
public let RTLD_DEFAULT: Int32 = 0
