import Chronicle

/// Rows by primary key. Keys are assigned consecutively, so rows are stored in pages of consecutive keys: new rows are
/// added without a look-up, and the order of the keys is that of the pages.
struct RowPages: Sendable {
    private typealias Page = [[PropertyValue]?]
    private static let empty = Page(repeating: nil, count: 1 << 8)

    private var pages: [Int64: Page] = [:]
    private(set) var count = 0

    private static func place(_ key: Int64) -> (page: Int64, index: Int) {
        (key >> 8, Int(truncatingIfNeeded: key & 255))
    }

    subscript(key: Int64) -> [PropertyValue]? {
        let (page, index) = Self.place(key)
        return pages[page]?[index]
    }

    /// - Returns: The row that was there before.
    mutating func set(_ row: [PropertyValue]?, _ key: Int64) -> [PropertyValue]? {
        let (page, index) = Self.place(key)
        let old = pages[page, default: Self.empty].replace(index, with: row)
        count += (row == nil ? 0 : 1) - (old == nil ? 0 : 1)
        if row == nil, pages[page]?.contains(where: { $0 != nil }) == false { pages[page] = nil }
        return old
    }

    /// Adds rows with consecutive keys.
    ///
    /// - Returns: Whether all of these keys were free. If not, some of the rows may have been added.
    mutating func insert(_ rows: [[PropertyValue]], from firstKey: Int64) -> Bool {
        var next = 0
        while next < rows.count {
            let (page, index) = Self.place(firstKey + Int64(next))
            let size = min(Self.empty.count - index, rows.count - next)
            guard pages[page, default: Self.empty].fill(index, with: rows[next..<next + size]) else { return false }
            next += size
            count += size
        }
        return true
    }

    /// The rows in the order of their keys.
    var keys: some Sequence<Int64> {
        pages.sorted { $0.key < $1.key }.lazy.flatMap { number, page in
            page.indices.lazy.filter { page[$0] != nil }.map { number << 8 | Int64($0) }
        }
    }
}

extension [[PropertyValue]?] {
    fileprivate mutating func replace(_ index: Int, with row: [PropertyValue]?) -> [PropertyValue]? {
        let old = self[index]
        self[index] = row
        return old
    }

    /// - Returns: Whether all places were free.
    fileprivate mutating func fill(_ index: Int, with rows: ArraySlice<[PropertyValue]>) -> Bool {
        guard self[index..<index + rows.count].allSatisfy({ $0 == nil }) else { return false }
        for (offset, row) in rows.enumerated() { self[index + offset] = row }
        return true
    }
}
