// What a configuration of SwiftData says about the services of a system. None of them is used here, so that only what
// asks for none can be said.
extension ModelConfiguration {
    /// Whether the file is in the container of an app group: it is not.
    public struct GroupContainer: Hashable, Sendable {
        private init() {}

        /// In SwiftData the container that the program's entitlements name; here there are none.
        public static let automatic = GroupContainer()
        public static let none = GroupContainer()

        @available(*, unavailable, message: "a store knows no app groups: name the file, with `url:`")
        public static func identifier(_ groupName: String) -> GroupContainer { none }
    }

    /// Whether the store is synchronised with iCloud: it is not.
    public struct CloudKitDatabase: Hashable, Sendable {
        private init() {}

        /// In SwiftData the database that the program's entitlements name; here there are none.
        public static let automatic = CloudKitDatabase()
        public static let none = CloudKitDatabase()

        @available(*, unavailable, message: "no store is synchronised with iCloud: say `.none`, or nothing")
        public static func `private`(_ privateDBName: String) -> CloudKitDatabase { none }
    }
}
