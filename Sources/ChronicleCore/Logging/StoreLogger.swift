/// A type that receives the messages of a store for the log of a program.
///
/// The requirement has the shape of the handlers of swift-log:
///
/// ```swift
/// struct LoggerAdapter: StoreLogger {
///     let logger: Logger
///     func log(level: StoreLogLevel, message: String, metadata: [String: String]) {
///         let values = metadata.mapValues { Logger.MetadataValue.string($0) }
///         logger.log(level: level == .notice ? .notice : .debug, "\(message)", metadata: values)
///     }
/// }
/// ```
///
/// Messages report what a program cannot learn from a result or an error. They contain names of stores and consumers, paths, and
/// numbers, but no values of models. Their texts may change in any version; use the metadata to find one:
///
/// | `event` | level | other keys |
/// | --- | --- | --- |
/// | `watchFailed`: commits of other processes are noticed within a second instead of immediately | `notice` | `path`, `code` |
/// | `consumerEvicted`: a purge deleted transactions that a consumer had not acknowledged | `notice` | `consumer` |
/// | `consumerAbandoned`: a purge kept transactions that exceed a limit for a consumer that was not seen for more than a day; automatic purges report it once | `notice` | `consumer` |
/// | `consumerReset`: a consumer starts over from the models | `notice`; `debug` if the program requested it | `consumer`, `reason` |
/// | `historyMerged`: a ``HistoryTrackingKit`` merged transactions into its contexts | `debug` | `consumer`, `authors`, `transactions`, `changes` |
/// | `historyTrackingFailed`: the task of a ``HistoryTrackingKit`` ended with an error | `notice` | `consumer`, `error` |
/// | `fileUpgraded`: a file of an earlier format was upgraded | `notice` | `path`, `format` |
/// | `fileMigrated`: a file was migrated from another version of its schema | `notice` | `path`, `fromVersion` |
/// | `sharedFile`: a file in the directory that the programs of the user shared is used, because the program has none in its own | `notice` | `path`, `ownPath` |
/// | `sharedFileIgnored`: the directory that the programs of the user shared has a file of the same name, which is not used | `notice` | `path`, `sharedPath` |
/// | `valuesPreserved`: the history of an existing file preserves values from now on, because the configuration requires it | `notice` | `path` |
/// | `valuesNotPreserved`: the tables on a server were created without the setting that the configuration requires | `notice` | `schemaName` |
/// | `storeMigrated`: the tables on a server were migrated from another version of their schema | `notice` | `schemaName`, `fromVersion` |
/// | `standbyOpened`: the server is a standby server, so the store is read-only | `notice` | `schemaName` |
/// | `tokenNotReturned`: changes were saved, but the token of their transaction is not known | `notice` | |
/// | `autosaveFailed`: a context could not save automatically | `notice` | `error` |
/// | `autosaveUnavailable`: a context without an actor cannot save automatically | `notice` | |
/// | `eraseFailed`: ``ModelContainer/deleteAllData()`` failed | `notice` | `error` |
/// | `libraryDefect`: the version of SQLite has a defect that can damage files; once in a process | `notice` | `version` |
/// | `cloudKitUnavailable`: a store was opened whose configuration has a CloudKit database, which is not used | `notice` | `database` |
/// | `externalStorageIgnored`: a store was opened whose schema has attributes with the option `externalStorage`, which has no effect | `notice` | `attributes` |
/// | `logGrown`: the write-ahead log cannot be emptied, because a connection still reads an earlier state or SQLite reports an error; at 64 MB, and each time its size doubles | `notice` | `path`, `bytes` |
/// | `unrecordedRows`: in the database of another program, a table that can be compared within 10 milliseconds has other rows than its history, because a program wrote it without triggers; without `table`, the rows could not be compared | `notice` | `path`, `table` |
/// | `purgeFailed`: a purge in the background, or of a ``HistoryTrackingKit``, failed | `notice` | `error`; of a kit also `consumer` |
/// | `purged`: a purge in the background ended | `debug` | `transactions`, `changes`, `values`, `returnedBytes` |
/// | `sealingFailed`: the history could not be sealed in the background | `notice` | `error` |
/// | `sealed`: the history was sealed in the background | `debug` | `position` |
///
/// All messages have the key `store`, with the name of the store's configuration, except those of a ``HistoryTrackingKit``.
public protocol StoreLogger: Sendable {
    /// Receives a message on any thread, after the operation that it reports has released its locks, so that the method may use the
    /// store. The thread of the operation waits for it.
    ///
    /// - Parameters:
    ///   - level: The importance of the message, at least ``DataStoreConfiguration/logLevel``.
    ///   - message: A sentence that describes what happened.
    ///   - metadata: The values of the message, to search for.
    func log(level: StoreLogLevel, message: String, metadata: [String: String])
}

/// The importance of a message for a ``StoreLogger``.
public enum StoreLogLevel: Int, Hashable, Sendable, CaseIterable, Comparable {
    /// Regular events: purges and seals in the background, merges of a ``HistoryTrackingKit``, and resets that the program requested.
    case debug
    /// What somebody should know: the store continues with reduced function, history was lost for a consumer, or a file
    /// was changed for good.
    case notice

    public static func < (lhs: StoreLogLevel, rhs: StoreLogLevel) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension DataStore {
    /// Passes a message to the logger of the configuration, if there is one and the level is enabled.
    ///
    /// - Parameters:
    ///   - level: The importance of the message.
    ///   - event: The name of the event, which is added to the metadata.
    ///   - message: A sentence that describes what happened. Evaluated only if the message is passed on.
    ///   - metadata: The values of the message. The name of the store is added. Evaluated like the message.
    public func log(
        _ level: StoreLogLevel, event: String, _ message: @autoclosure () -> String,
        metadata: @autoclosure () -> [String: String] = [:]
    ) {
        configuration.log(level, event: event, message(), metadata: metadata())
    }
}

extension DataStoreConfiguration {
    /// Passes a message to the logger, if there is one and the level is enabled, while a store is being opened.
    ///
    /// - Parameters:
    ///   - level: The importance of the message.
    ///   - event: The name of the event, which is added to the metadata.
    ///   - message: A sentence that describes what happened. Evaluated only if the message is passed on.
    ///   - metadata: The values of the message. The name of the store is added. Evaluated like the message.
    public func log(
        _ level: StoreLogLevel, event: String, _ message: @autoclosure () -> String,
        metadata: @autoclosure () -> [String: String] = [:]
    ) {
        guard let logger, level >= logLevel else { return }
        let (message, metadata) = (message(), metadata().merging(["event": event, "store": name]) { $1 })
        DeferredCallbacks.run { logger.log(level: level, message: message, metadata: metadata) }
    }
}
