package import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
package import Foundation

extension DefaultStore: HistorySealing {
    package func historySeals(after head: HistorySeal?) throws -> [HistorySeal] {
        try attributingErrors {
            let heads = try database.read { connection in
                try connection.deferredRead {
                    let table = try SealTables.exist(connection) ? SealTable(connection) : nil
                    guard let head else { return try table?.heads(after: 0) ?? [] }
                    guard let number = try table?.number(of: head) else {
                        throw try SwiftDataError.missingHead(head, first: table?.first(), newest: table?.newest()?.last)
                    }
                    return try table?.heads(after: number) ?? []
                }
            }
            // A sealer may not have ended yet, or was killed, perhaps in a process with another durability.
            if !heads.isEmpty, configuration.allowsSave, !configuration.isStoredInMemoryOnly {
                try database.maintain { connection in
                    // Writes a page, because a transaction that writes none makes nothing durable. The value is the same.
                    try commitDurably(connection) {
                        try FileFormat.setVersion(FileFormat.headerVersion(connection), connection)
                    }
                }
            }
            return heads
        }
    }

    /// Whether every commit of the store is durable, or none can be.
    private var commitsDurably: Bool {
        configuration.isStoredInMemoryOnly || configuration.durability == .full && !isTracked
    }

    /// Commits with `synchronous = FULL`, which makes everything before it in the log durable as well. A tracked database can have
    /// a rollback journal, whose removal has to reach the disk, too: otherwise, it would undo the commit after a power failure.
    /// https://www.sqlite.org/pragma.html#pragma_synchronous
    func commitDurably<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result {
        guard !commitsDurably else { return try connection.immediate(body) }
        return try connection.withSetting(
            "PRAGMA synchronous = \(isTracked ? "EXTRA" : "FULL"); PRAGMA fullfsync = ON",
            restoredBy: configuration.durability == .full
                ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL; PRAGMA fullfsync = OFF"
        ) {
            try connection.immediate(body)
        }
    }

    package func sealHistory(
        _ hashing: any HistoryHashing, signedBy signer: (any SealSigning)? = nil, isLast: Bool = false,
        observing observe: (HistorySealer.Step) throws -> Void
    ) throws -> HistorySeal {
        try requireWriteAccess()
        try requireHistory()
        return try attributingErrors {
            try withoutActuallyEscaping(observe) { observe in
                let sealer = HistorySealer(hashing: hashing, signer: signer, observe: observe)
                func sealing<Result>(_ body: (FileSealer) throws -> Result) throws -> Result {
                    try database.maintain { try body(FileSealer(store: self, sealer: sealer, connection: $0)) }
                }
                var newest = try sealing { try $0.begin() }
                // Without the connection, which purges use. The system does not tell when a lock is released without blocking the
                // thread until then.
                let lock = try lockSealer(timeout: configuration.busyTimeout, interval: 0.01) {
                    newest = try sealing { try $0.begin() }
                }
                return try withExtendedLifetime(lock) { try sealing { try $0.run(through: newest, isLast: isLast) } }
            }
        }
    }

    /// `nil` before the first seal.
    package func newestSealTime() throws -> Date? {
        try attributingErrors {
            try database.read { connection in
                try connection.deferredRead { try SealedHistory(connection)?.sealed }
            }
        }
    }

    /// Calls a closure in which seals and commits of the sealer have few rows, for tests that interrupt it.
    package static func withSmallSeals<Result>(_ body: () throws -> Result) rethrows -> Result {
        try HistorySealer.$limits.withValue(HistorySealer.Limits(transactions: 8, rows: 60, page: 10), operation: body)
    }
}
