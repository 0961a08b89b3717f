package import ChronicleCore
import ChronicleSQLite
import Foundation

extension DefaultStore: HistorySealing {
    package func sealHistory(_ hashing: any HistoryHashing) throws -> HistorySeal {
        try sealHistory(hashing, observing: { _ in })
    }

    package func endSealing(_ hashing: any HistoryHashing) throws -> HistorySeal {
        try sealHistory(hashing, isLast: true, observing: { _ in })
    }

    /// - Parameter observe: Is called before each commit and read, so that tests can change the history between any two steps.
    func sealHistory(
        _ hashing: any HistoryHashing, isLast: Bool = false, observing observe: (HistorySealer.Step) throws -> Void
    ) throws -> HistorySeal {
        try requireWriteAccess()
        try requireHistory()
        guard !layout.isTracked else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "the history of a tracked database cannot be sealed", storeIdentifier: identifier)
        }
        return try attributingErrors {
            try withoutActuallyEscaping(observe) { observe in
                func sealing<Result>(_ body: (HistorySealer) throws -> Result) throws -> Result {
                    try database.maintain { connection in
                        try body(HistorySealer(store: self, hashing: hashing, connection: connection, observe: observe))
                    }
                }
                var newest = try sealing { try $0.begin() }
                // Without the connection, which purges use.
                let lock = try lockSealer { newest = try sealing { try $0.begin() } }
                return try withExtendedLifetime(lock) { try sealing { try $0.run(through: newest, isLast: isLast) } }
            }
        }
    }

    /// `nil` before the first seal.
    func newestSealTime() throws -> Date? {
        try attributingErrors {
            try database.read { connection in
                try connection.deferredRead { try SealedHistory(connection)?.sealed }
            }
        }
    }

    var sealerIsInUse: SwiftDataError {
        .historyConsumerInUse.with(
            detail: "another process seals the history; try again later", storeIdentifier: identifier)
    }

    /// Locks the consumer that seals. Another process may seal meanwhile.
    ///
    /// - Parameter begin: Creates the record of the consumer again, if another process has removed it.
    private func lockSealer(_ begin: () throws -> Void) throws -> any AnyObject & Sendable {
        let deadline = ContinuousClock.now + configuration.busyTimeout
        while true {
            do {
                if let lock = try lockConsumer(named: HistorySeal.consumerName) { return lock }
            } catch SwiftDataError.historyConsumerNotFound {
                try begin()
            }
            guard ContinuousClock.now < deadline else { throw sealerIsInUse }
            // The system does not tell when a lock is released without blocking the thread until then.
            Thread.sleep(forTimeInterval: 0.01)
        }
    }
}
