import Chronicle
import Foundation
import SampleTrips

/// Runs the programs, reads the history as another process, and prints what happens.
final class Narrator<Transaction: HistoryTransaction> {
    let stage: Stage
    private let style = Style.output
    private var step = 0
    private var token: Transaction.TokenType?

    init(_ stage: Stage) { self.stage = stage }

    func begin(_ title: String) {
        step += 1
        show(["", style.bold("\(step). \(title)")])
    }

    /// Runs the app or the widget, and expects it to succeed.
    @discardableResult
    func run(_ program: String, _ arguments: String...) throws -> Child.Result { try run(program, arguments) }

    @discardableResult
    func run(_ program: String, _ arguments: [String]) throws -> Child.Result {
        let result = try stage.finish(stage.start(program, arguments))
        showCommand(program, arguments, result.lines)
        try expect(result.status == 0, "exits with 0", isQuiet: true)
        return result
    }

    /// Runs the app or the widget, and expects it to fail.
    func runFailing(_ status: Int32, _ program: String, _ arguments: String..., store: TripStore? = nil) throws {
        let result = try stage.finish(stage.start(program, arguments, store: store))
        showCommand(program, arguments, result.lines.prefix(1))
        try expect(result.status == status, "exits with \(status)")
    }

    /// Runs the command-line tool on the file, and expects it to succeed.
    func runTool(_ command: String, _ options: String...) throws -> Child.Result {
        let result = try stage.finish(stage.startTool(command, options))
        showCommand("chronicle", [command, stage.store.url.lastPathComponent] + options, result.lines)
        try expect(result.status == 0, "exits with 0", isQuiet: true)
        return result
    }

    /// Prints a command and its output.
    func showCommand(_ program: String, _ arguments: [String], _ output: some Sequence<Substring>) {
        let words = [program] + arguments.map { $0.contains(" ") ? "\"\($0)\"" : $0 }
        show("   \(style.dim("$ \(words.joined(separator: " "))"))")
        showOutput(output)
    }

    func showOutput(_ output: some Sequence<Substring>) {
        show(output.map { $0.isEmpty ? "" : "     \($0)" })
    }

    /// Reads and prints the transactions since the last read.
    func readHistory() throws -> [Transaction] {
        let context = try stage.store.open(author: "demo")
        let news = token.map { HistoryDescriptor<Transaction>.after($0) }
        let transactions = try context.fetchHistory(news ?? HistoryDescriptor<Transaction>())
        token = transactions.last?.token ?? token
        show("   \(style.dim("transactions in the history"))")
        let text = HistoryText()
        for transaction in transactions { show(text.lines(transaction).map { "     \($0)" }) }
        if transactions.isEmpty { show("     none") }
        return transactions
    }

    /// Reads the single transaction since the last read.
    func readTransaction() throws -> Transaction {
        let transactions = try readHistory()
        try expect(transactions.count == 1, "one transaction")
        return transactions[0]
    }

    /// Resets the reader's token after the history was deleted, so that the next read starts at its beginning.
    func forgetHistory() { token = nil }

    func expect(_ isTrue: Bool, _ what: String, isQuiet: Bool = false) throws {
        guard isTrue else { throw Failure("expected: \(what)") }
        if !isQuiet { show("   \(style.green("✓")) \(what)") }
    }
}
