import Chronicle
import SampleTrips

extension Story {
    func expect(_ isTrue: Bool, _ what: String) throws { try narrator.expect(isTrue, what) }

    /// Launches the app to display the list, and expects a mark on these trips.
    @discardableResult
    func expectMarks(_ names: [String]) throws -> Child.Result {
        let app = try narrator.run("app", "list")
        let marked = app.lines.filter { $0.hasPrefix("*") }.map { String($0.split(separator: " ")[1]) }
        let what = names.isEmpty ? "no marks" : "a mark on \(names.joined(separator: " and "))"
        try expect(marked == names, what)
        return app
    }
}

// Properties that only the default history has, checked for stores that have it.
extension Story {
    func expectProcess(_ child: Child.Result, _ name: String, _ transaction: Transaction) throws {
        guard let transaction = transaction as? DefaultHistoryTransaction else {
            return narrator.note("this history contains authors, but not processes")
        }
        try expect(transaction.processIdentifier == "\(child.processIdentifier)", "the process is the \(name)")
    }

    func expectUnsigned(_ transaction: Transaction) throws {
        guard let transaction = transaction as? DefaultHistoryTransaction else {
            return try expect(transaction.author == nil, "no author")
        }
        try expect(transaction.isExternal && transaction.author == nil, "an external transaction without an author")
    }
}

extension HistoryChange {
    var isInsert: Bool {
        if case .insert = self { true } else { false }
    }
}
