import ChronicleCore
import ChronicleSQLite

/// What a descriptor asks of the headers, as SQL on `h`, a header, and `s`, its source.
struct HistoryQuery {
    /// A token that transactions have to come after.
    struct LowerBound {
        let token: DefaultHistoryToken
        /// Whether the token's own transaction is among them.
        let isInclusive: Bool
    }

    /// `nil` when the bounds say it all.
    var condition: String?
    var bindings: [PropertyValue] = []
    /// Every transaction comes after each of these.
    var bounds: [LowerBound] = []
    /// Terms of ORDER BY; empty for commit order.
    var order: [String] = []
    /// `nil` for no limit.
    var limit: Int?
    var offset = 0

    init(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, storeIdentifier: String) throws {
        limit = [0, .max].contains(descriptor.fetchLimit) ? nil : Int(clamping: descriptor.fetchLimit)
        offset = Int(clamping: descriptor.fetchOffset)
    }

    /// Whether it asks for all transactions from a position on, in commit order.
    var isPlain: Bool { condition == nil && order.isEmpty && !bounds.contains { $0.isInclusive } }
}
