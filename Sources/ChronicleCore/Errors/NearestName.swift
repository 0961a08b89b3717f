/// The name that a misspelled one probably means, for the messages of errors.
package enum NearestName {
    /// `nil` if all names differ too much.
    package static func nearest(to name: String, in names: [String]) -> String? {
        // Long input is not a typing error, and the comparison takes time proportional to its length.
        guard name.count <= 64 else { return nil }
        let folded = name.lowercased()
        if let equal = names.first(where: { $0.lowercased() == folded }) { return equal }
        let ranked = names.map { (distance: distance(Array(name), Array($0)), name: $0) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        // Names without a common character do not resemble each other.
        guard best.distance < max(name.count, best.name.count) else { return nil }
        return best.distance <= max(1, min(name.count, best.name.count) / 2) ? best.name : nil
    }

    /// The optimal string alignment distance: the number of insertions, deletions, replacements and exchanges of neighbors.
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var rows = [Array(0...b.count)]
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var cost = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, rows[i - 1][j - 1] + 1) }
                row.append(cost)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
