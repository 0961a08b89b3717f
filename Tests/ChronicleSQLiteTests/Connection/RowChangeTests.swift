import Testing

@testable import ChronicleSQLite

/// Observers of row changes.
@Suite(.enabled(if: Connection.reportsRowChanges)) struct RowChangeTests {
    private final class Observer: RowChangeObserver {
        private(set) var rowIDs: [Int64] = []

        func willChange(_ change: borrowing RowChange) { rowIDs.append(change.newRowID) }
    }

    @Test func theConnectionRetainsItsObserver() throws {
        let connection = try Connection(path: ":memory:", mode: .readWriteCreate)
        try connection.execute("CREATE TABLE t(a)")
        weak var first: Observer?
        func observe() {
            let observer = Observer()
            first = observer
            connection.observeRowChanges(with: observer)
        }
        observe()
        try connection.execute("INSERT INTO t VALUES (1), (2)")
        #expect(first?.rowIDs == [1, 2])
        let second = Observer()
        connection.observeRowChanges(with: second)
        try connection.execute("INSERT INTO t VALUES (3)")
        #expect(first == nil && second.rowIDs == [3])
        connection.observeRowChanges(with: nil)
        try connection.execute("INSERT INTO t VALUES (4)")
        #expect(second.rowIDs == [3])
    }
}
