// SwiftData's options for system services. Chronicle uses none of these services, so only the options without one are
// available.
extension ModelConfiguration {
    /// The app group container of the store's file. Chronicle does not support app groups; the type exists for source
    /// compatibility with SwiftData.
    public struct GroupContainer: Hashable, Sendable {
        private init() {}

        /// No app group. In SwiftData, the container from the app's entitlements.
        public static let automatic = GroupContainer()
        /// No app group.
        public static let none = GroupContainer()

        /// The container of an app group, which is unavailable. Pass the file's URL to the configuration instead.
        ///
        /// - Parameter groupName: The identifier of the app group.
        /// - Returns: No value, because the function is unavailable.
        @available(*, unavailable, message: "Chronicle does not support app groups; pass the file's URL as `url:`")
        public static func identifier(_ groupName: String) -> GroupContainer { none }
    }

    /// The CloudKit database of the store. Chronicle does not synchronize with iCloud; the type exists for source
    /// compatibility with SwiftData.
    public struct CloudKitDatabase: Hashable, Sendable {
        private init() {}

        /// No synchronization. In SwiftData, the database from the app's entitlements.
        public static let automatic = CloudKitDatabase()
        /// No synchronization.
        public static let none = CloudKitDatabase()

        /// A private CloudKit database, which is unavailable. Omit the argument or pass ``none``.
        ///
        /// - Parameter privateDBName: The name of the database.
        /// - Returns: No value, because the function is unavailable.
        @available(
            *, unavailable, message: "Chronicle does not synchronize with iCloud; pass `.none` or omit the argument"
        )
        public static func `private`(_ privateDBName: String) -> CloudKitDatabase { none }
    }
}
