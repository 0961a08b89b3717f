import CSQLite
import Foundation

extension PlainDatabase {
    /// Inserts samples, with the given number in each transaction.
    func insert(_ samples: ArraySlice<SampleTrip>, perSave count: Int) throws {
        let (begin, commit) = (try prepare("BEGIN IMMEDIATE"), try prepare("COMMIT"))
        let insert = try prepare(
            """
            INSERT INTO trip(name, destination, note, startDate, endDate, nights, rating, isBooked)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """)
        var rest = samples
        while !rest.isEmpty {
            try run(begin)
            for sample in rest.prefix(count) {
                bind(sample.nameText, insert, 1)
                bind(sample.destinationText, insert, 2)
                sqlite3_bind_null(insert, 3)
                sqlite3_bind_double(insert, 4, sample.startDate.timeIntervalSinceReferenceDate)
                sqlite3_bind_double(insert, 5, sample.endDate.timeIntervalSinceReferenceDate)
                sqlite3_bind_int64(insert, 6, Int64(sample.nights))
                sqlite3_bind_int64(insert, 7, Int64(sample.rating))
                sqlite3_bind_int64(insert, 8, sample.isBooked ? 1 : 0)
                try run(insert)
            }
            try run(commit)
            rest = rest.dropFirst(count)
        }
    }

    /// Sets one column of every row, row by row, in one transaction.
    func updateEach(_ identifiers: ClosedRange<Int64>, rating: Int64) throws {
        let update = try prepare("UPDATE trip SET rating = ? WHERE id = ?")
        try execute("BEGIN IMMEDIATE")
        for identifier in identifiers {
            sqlite3_bind_int64(update, 1, rating)
            sqlite3_bind_int64(update, 2, identifier)
            try run(update)
        }
        try execute("COMMIT")
    }

    /// Deletes every row, row by row, in one transaction.
    func deleteEach(_ identifiers: ClosedRange<Int64>) throws {
        let delete = try prepare("DELETE FROM trip WHERE id = ?")
        try execute("BEGIN IMMEDIATE")
        for identifier in identifiers {
            sqlite3_bind_int64(delete, 1, identifier)
            try run(delete)
        }
        try execute("COMMIT")
    }

    /// Reads every value of the history, and returns a number that depends on them.
    func sumOfAllChanges() throws -> Int {
        let select = try prepare(
            "SELECT id, kind, primary_key, attributes, old_value, new_value FROM chronicle_change ORDER BY id")
        var sum = 0
        while sqlite3_step(select) == SQLITE_ROW {
            for column in 0..<6 as Range<Int32> {
                switch sqlite3_column_type(select, column) {
                case SQLITE_INTEGER: sum &+= Int(sqlite3_column_int64(select, column))
                case SQLITE_FLOAT: sum &+= Int(sqlite3_column_double(select, column))
                case SQLITE_TEXT:
                    if let text = sqlite3_column_text(select, column) { sum &+= Int(text[0]) }
                    sum &+= Int(sqlite3_column_bytes(select, column))
                default: break
                }
            }
        }
        sqlite3_reset(select)
        return sum
    }

    /// Deletes rows with one statement.
    func deleteAll(nightsAtLeast nights: Int64) throws {
        let delete = try prepare("DELETE FROM trip WHERE nights >= ?")
        sqlite3_bind_int64(delete, 1, nights)
        try execute("BEGIN IMMEDIATE")
        try run(delete)
        try execute("COMMIT")
    }

    /// Updates all rows with a condition, in one transaction.
    func updateAll(nightsAtLeast nights: Int64, addingToRating number: Int64) throws {
        let update = try prepare("UPDATE trip SET rating = rating + ? WHERE nights >= ?")
        sqlite3_bind_int64(update, 1, number)
        sqlite3_bind_int64(update, 2, nights)
        try execute("BEGIN IMMEDIATE")
        try run(update)
        try execute("COMMIT")
    }

    /// Visits all rows and reads every attribute, including the bytes of texts, without creating strings or structures.
    /// The sum prevents the optimizer from removing the reads, and is compared.
    func sumOfAllRows() throws -> Int {
        let select = try prepare(
            """
            SELECT id, name, destination, note, startDate, endDate, nights, rating, isBooked FROM trip ORDER BY id
            """)
        var sum = 0
        while true {
            let code = sqlite3_step(select)
            guard code == SQLITE_ROW else {
                try check(code)
                sqlite3_reset(select)
                return sum
            }
            sum &+= sumOfText(select, 1) &+ sumOfText(select, 2) &+ sumOfText(select, 3)
            sum &+= Int(sqlite3_column_double(select, 4)) &+ Int(sqlite3_column_double(select, 5))
            for index: Int32 in 6...8 { sum &+= Int(sqlite3_column_int64(select, index)) }
        }
    }

    /// Returns the number of names that contain a text, ignoring the case of ASCII letters.
    func countOfNames(containing text: String) throws -> Int {
        let select = try prepare("SELECT count(*) FROM trip WHERE name LIKE '%\(text)%'")
        try check(sqlite3_step(select))
        defer { sqlite3_reset(select) }
        return Int(sqlite3_column_int64(select, 0))
    }

    @inline(__always)
    private func sumOfText(_ statement: OpaquePointer, _ index: Int32) -> Int {
        guard let start = sqlite3_column_text(statement, index) else { return 0 }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index)))
        return bytes.reduce(0) { $0 &+ Int($1) }
    }

    @inline(__always)
    private func bind(_ text: StaticText, _ statement: OpaquePointer, _ index: Int32) {
        sqlite3_bind_text(statement, index, text.start, text.count, benchmarks_sqlite_static())
    }

    @inline(__always)
    private func run(_ statement: OpaquePointer) throws {
        try check(sqlite3_step(statement))
        sqlite3_reset(statement)
    }
}
