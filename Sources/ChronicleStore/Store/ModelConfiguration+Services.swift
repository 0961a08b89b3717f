import ChronicleCore
import Foundation

// SwiftData's options for system services.
extension ModelConfiguration {
    /// The directory of the store's file, for a configuration without a URL: a directory that the user's programs can
    /// share. In SwiftData, it is the shared container of an app group.
    public struct GroupContainer: Hashable, Sendable {
        let identifier: String?

        /// The directory of this program in the user's application support directory; see
        /// ``ModelConfiguration/init(_:schema:isStoredInMemoryOnly:allowsSave:groupContainer:cloudKitDatabase:durability:recordsHistory:preservesValues:historyRetention:busyTimeout:)``.
        /// In SwiftData, the container from the app's entitlements.
        public static let automatic = GroupContainer(identifier: nil)
        /// The same directory as ``automatic``.
        public static let none = GroupContainer(identifier: nil)

        /// The directory `Group Containers/<name>` in the user's application support directory, created if necessary. All
        /// programs of the user that pass the same name use the same files.
        ///
        /// - Parameter groupName: The identifier of the app group, without slashes.
        /// - Returns: The group container.
        public static func identifier(_ groupName: String) -> GroupContainer { GroupContainer(identifier: groupName) }

        /// `FileManager` finds the user's directory.
        var directory: URL {
            guard let identifier else { return ModelConfiguration.programDirectory }
            return ModelConfiguration.applicationSupportDirectory.appending(path: "Group Containers/\(identifier)")
        }
    }

    /// The CloudKit database of the store, for source compatibility with SwiftData. Chronicle does not use iCloud.
    public struct CloudKitDatabase: Hashable, Sendable {
        let name: String?

        /// No synchronization. In SwiftData, the database from the app's entitlements.
        public static let automatic = CloudKitDatabase(name: nil)
        /// No synchronization.
        public static let none = CloudKitDatabase(name: nil)

        /// No synchronization. In SwiftData, a private database.
        ///
        /// The logger receives the message `cloudKitUnavailable` when the store is opened; see ``StoreLogger``.
        ///
        /// - Parameter privateDBName: The name of the database, kept in ``ModelConfiguration/cloudKitContainerIdentifier``.
        /// - Returns: The database.
        public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
            CloudKitDatabase(name: privateDBName)
        }
    }

    /// The identifier of the app group, or `nil` without one.
    public var groupAppContainerIdentifier: String? { groupContainer.identifier }

    /// The name of the private database, or `nil` without one. Chronicle does not use it.
    public var cloudKitContainerIdentifier: String? { cloudKitDatabase.name }
}

extension ModelConfiguration {
    /// Validates the configuration. Containers call this method before they open the store.
    ///
    /// - Throws: ``SwiftDataError/configurationFileNameContainsInvalidCharacters`` or
    ///   ``SwiftDataError/configurationFileNameTooLong`` if the name of the file or the group is empty, contains a slash or
    ///   a NUL character, or leaves no room for the names of files beside it. ``SwiftDataError/loadIssueModelContainer`` if
    ///   the URL is not that of a file, or if the timeout is negative.
    public func validate() throws {
        guard busyTimeout >= .zero else { throw invalid(.loadIssueModelContainer, "the busy timeout is negative") }
        guard !isStoredInMemoryOnly else { return }
        guard url.isFileURL else {
            throw invalid(.loadIssueModelContainer, "\(url) is not a file URL; use URL(fileURLWithPath:)")
        }
        let fileName = url.lastPathComponent
        for part in [fileName, groupContainer.identifier, namesFile ? name : nil].compactMap(\.self) {
            guard !part.isEmpty, part != ".", part != "..", !part.contains("/"), !part.utf8.contains(0) else {
                throw invalid(
                    .configurationFileNameContainsInvalidCharacters, "\"\(part)\" cannot be the name of a file")
            }
        }
        guard fileName.utf8.count <= Self.longestFileName else {
            throw invalid(
                .configurationFileNameTooLong,
                "the name of the file has \(fileName.utf8.count) bytes but may have \(Self.longestFileName)")
        }
    }

    /// 255 bytes on common file systems, without the longest suffix of the files beside the store.
    private static let longestFileName = 255 - "-journal".utf8.count

    private func invalid(_ error: SwiftDataError, _ detail: String) -> SwiftDataError {
        error.with(detail: detail, storeName: name)
    }
}

extension ModelConfiguration: CustomDebugStringConvertible {
    public var debugDescription: String {
        let place = isStoredInMemoryOnly ? "in memory" : url.path
        let models = schema.map { " models: \($0.entities.map(\.name).sorted().joined(separator: ", "))" } ?? ""
        return "ModelConfiguration(\"\(name)\", \(place), allowsSave: \(allowsSave), durability: \(durability), "
            + "recordsHistory: \(recordsHistory)\(models.isEmpty ? "" : ",")\(models))"
    }
}
