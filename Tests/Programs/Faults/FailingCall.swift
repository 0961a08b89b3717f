import ChronicleFaultShim
import Foundation

/// A call of the system that fails, and how.
struct FailingCall {
    let name: String
    let kind: Int32
    let error: Int32
    let mode: Int32

    private init(_ name: String, _ kind: Int, _ error: Int32, _ mode: Int = FAULT_ONCE) {
        (self.name, self.kind, self.error, self.mode) = (name, Int32(kind), error, Int32(mode))
    }

    static let all: [FailingCall] = [
        FailingCall("open-EMFILE", FAULT_OPEN, EMFILE),
        FailingCall("open-EMFILE-always", FAULT_OPEN, EMFILE, FAULT_ALWAYS),
        FailingCall("open-EIO", FAULT_OPEN, EIO),
        FailingCall("read-EIO", FAULT_READ, EIO), FailingCall("read-EIO-always", FAULT_READ, EIO, FAULT_ALWAYS),
        FailingCall("read-half", FAULT_READ, EIO, FAULT_HALF),
        FailingCall("write-EIO", FAULT_WRITE, EIO), FailingCall("write-ENOSPC", FAULT_WRITE, ENOSPC),
        FailingCall("write-ENOSPC-always", FAULT_WRITE, ENOSPC, FAULT_ALWAYS),
        FailingCall("write-half", FAULT_WRITE, ENOSPC, FAULT_HALF),
        FailingCall("sync-EIO", FAULT_SYNC, EIO), FailingCall("sync-EIO-always", FAULT_SYNC, EIO, FAULT_ALWAYS),
        FailingCall("sync-ENOSPC", FAULT_SYNC, ENOSPC),
        FailingCall("truncate-EIO", FAULT_TRUNCATE, EIO),
        FailingCall("truncate-ENOSPC-always", FAULT_TRUNCATE, ENOSPC, FAULT_ALWAYS),
        FailingCall("remove-EIO", FAULT_REMOVE, EIO),
        FailingCall("remove-EACCES-always", FAULT_REMOVE, EACCES, FAULT_ALWAYS),
        FailingCall("lock-EAGAIN", FAULT_LOCK, EAGAIN),
        FailingCall("lock-EAGAIN-always", FAULT_LOCK, EAGAIN, FAULT_ALWAYS),
        FailingCall("lock-ENOLCK", FAULT_LOCK, ENOLCK),
        FailingCall("map-ENOMEM", FAULT_MAP, ENOMEM), FailingCall("map-ENOMEM-always", FAULT_MAP, ENOMEM, FAULT_ALWAYS),
        FailingCall("stat-EIO", FAULT_STAT, EIO), FailingCall("stat-EIO-always", FAULT_STAT, EIO, FAULT_ALWAYS),
        FailingCall("memory-ENOMEM", FAULT_MEMORY, ENOMEM),
        FailingCall("memory-ENOMEM-always", FAULT_MEMORY, ENOMEM, FAULT_ALWAYS),
    ]
}
