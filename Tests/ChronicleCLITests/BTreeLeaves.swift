import ChronicleSQLite
import Foundation

/// The leaves of b-trees in a database, see <https://www.sqlite.org/fileformat.html#b_tree_pages>.
struct BTreeLeaves {
    private let content: [UInt8]
    private let pageSize: Int

    /// Overwrites the leaves of tables and of their indexes, except the first one and the last two of each.
    static func destroyMost(ofTablesIn names: [String], _ url: URL) throws {
        let connection = try Connection(path: url.path, mode: .readWrite)
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        let statement = try connection.prepare("SELECT rootpage FROM sqlite_schema WHERE tbl_name IN (\(list))")
        var roots: [Int] = []
        while try statement.step() { roots.append(Int(statement.int64(0))) }
        statement.reset()
        let pageSize = Int(try connection.scalarInt64("PRAGMA page_size") ?? 0)
        connection.close()
        var content = Array(try Data(contentsOf: url))
        let tree = BTreeLeaves(content: content, pageSize: pageSize)
        for root in roots {
            for page in tree.leaves(root).dropFirst().dropLast(2) {
                let start = (page - 1) * pageSize
                content.replaceSubrange(start..<start + pageSize, with: repeatElement(0xFF, count: pageSize))
            }
        }
        try Data(content).write(to: url)
    }

    private func integer(_ offset: Int, _ size: Int) -> Int {
        content[offset..<offset + size].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The numbers of the pages in the order of their keys.
    private func leaves(_ page: Int) -> [Int] {
        let start = (page - 1) * pageSize
        // Interior pages of tables and indexes have these types.
        guard [2, 5].contains(content[start]) else { return [page] }
        let children = (0..<integer(start + 3, 2)).map { cell in
            integer(start + integer(start + 12 + 2 * cell, 2), 4)
        }
        return (children + [integer(start + 8, 4)]).flatMap(leaves)
    }
}
