import Foundation

extension UnreadTrips {
    /// Stores the app's state for one store in the user's defaults, as JSON.
    ///
    /// The defaults `SampleTrips` (on Linux `~/.config/SampleTrips.plist`, or below `$XDG_CONFIG_HOME`) have an entry for
    /// each store, under the path of its file or the address of its database.
    public struct Keeper {
        private let defaults: UserDefaults
        private let key: String

        public init(_ store: TripStore) throws {
            guard let defaults = UserDefaults(suiteName: "SampleTrips") else {
                throw Failure("the user's defaults cannot be opened.")
            }
            self.defaults = defaults
            key =
                store.url.isFileURL
                ? store.url.resolvingSymlinksInPath().standardizedFileURL.path : store.url.absoluteString
        }

        public func load() throws -> UnreadTrips {
            // Another run of the app may have written since.
            defaults.synchronize()
            guard let json = defaults.string(forKey: key) else { return UnreadTrips() }
            do { return try JSONDecoder().decode(UnreadTrips.self, from: Data(json.utf8)) } catch {
                throw Failure("what the defaults “SampleTrips” hold for \(key) is not what the app wrote: \(error)")
            }
        }

        /// Two concurrent runs may overwrite each other's state. The last state written is consistent: its marks are
        /// those found up to its token, and later changes are found again.
        public func save(_ unread: UnreadTrips) throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            defaults.set(String(decoding: try encoder.encode(unread), as: UTF8.self), forKey: key)
            try write()
        }

        public func forget() throws {
            defaults.removeObject(forKey: key)
            try write()
        }

        private func write() throws {
            guard defaults.synchronize() else {
                throw Failure("the defaults “SampleTrips” cannot be written; is the home directory read-only?")
            }
        }
    }
}
