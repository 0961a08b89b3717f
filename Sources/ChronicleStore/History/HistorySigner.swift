/// Who a transaction came from, as the file keeps it.
struct HistorySigner: Hashable, Sendable {
    let author: String?
    let contextName: String?
    /// Empty when the transaction is external.
    let program: String
    /// Empty when the transaction is external.
    let process: String

    /// Nobody: some other program.
    static let external = HistorySigner(author: nil, contextName: nil, program: "", process: "")
}
