import ChronicleCSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// <https://www.sqlite.org/c3ref/preupdate_blobwrite.html>. The functions are looked up by name and not linked, because
/// some SQLite libraries do not have them.
struct PreupdateHook: Sendable {
    typealias Callback =
        @convention(c) (
            _ context: UnsafeMutableRawPointer?, _ database: OpaquePointer?, _ operation: Int32,
            _ schema: UnsafePointer<CChar>?, _ table: UnsafePointer<CChar>?, _ oldRowID: Int64, _ newRowID: Int64
        ) -> Void
    typealias Value = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Int32

    typealias Set =
        @convention(c) (
            OpaquePointer?, Callback?, UnsafeMutableRawPointer?
        ) -> UnsafeMutableRawPointer?
    typealias Depth = @convention(c) (OpaquePointer?) -> Int32

    let set: Set
    let old: Value
    let new: Value
    let depth: Depth

    /// `nil` if the loaded library was built without the functions.
    static let available: PreupdateHook? = {
        guard sqlite3_compileoption_used("ENABLE_PREUPDATE_HOOK") != 0, isLinkedLibraryFound,
            let set = symbol("sqlite3_preupdate_hook"), let old = symbol("sqlite3_preupdate_old"),
            let new = symbol("sqlite3_preupdate_new"), let depth = symbol("sqlite3_preupdate_depth")
        else { return nil }
        return PreupdateHook(
            set: unsafeBitCast(set, to: Set.self), old: unsafeBitCast(old, to: Value.self),
            new: unsafeBitCast(new, to: Value.self), depth: unsafeBitCast(depth, to: Depth.self))
    }()

    /// Whether names are looked up in the SQLite library that this program is linked with. A process may contain two, for
    /// example its own and that of the system; a function of one must not be called with a connection of the other.
    private static var isLinkedLibraryFound: Bool {
        guard let version = symbol("sqlite3_libversion") else { return false }
        typealias Version = @convention(c) () -> UnsafePointer<CChar>?
        // The address of a constant in the library.
        return unsafeBitCast(version, to: Version.self)() == sqlite3_libversion()
    }

    private static func symbol(_ name: String) -> UnsafeMutableRawPointer? {
        #if canImport(Darwin)
            let handle = UnsafeMutableRawPointer(bitPattern: -2)  // RTLD_DEFAULT, a macro that Swift does not import.
            return dlsym(handle, name)
        #elseif canImport(Glibc) || canImport(Musl) || canImport(Android)
            return dlsym(nil, name)  // RTLD_DEFAULT is a null pointer, except on 32-bit Android.
        #else
            return nil
        #endif
    }
}
