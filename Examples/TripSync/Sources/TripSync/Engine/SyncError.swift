/// A synchronisation that cannot continue without a decision of the user.
public struct SyncError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
