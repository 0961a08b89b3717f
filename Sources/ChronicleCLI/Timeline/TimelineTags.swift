import Chronicle

/// The tags of a store in the form that the page reads: `[{"name": …, "id": …}]` with the numbers of their transactions.
struct TimelineTags: Equatable {
    /// The tags with a position in the history, in its order.
    private let tags: [Tag]

    private struct Tag: Equatable { let name: String, position: Int64 }

    /// Reads the tags.
    ///
    /// - Parameter last: The position up to which the page contains transactions, or `nil` for all.
    /// - Throws: An error of the store.
    init(_ store: any InspectedStore, through last: DefaultHistoryToken? = nil) throws {
        let limit = last.flatMap { $0.position(in: store.identifier) } ?? .max
        tags = try store.historyTags().compactMap { tag in
            guard let position = tag.token.position(in: store.identifier), (1...limit).contains(position) else {
                return nil
            }
            return Tag(name: tag.name, position: position)
        }
        .sorted { ($0.position, $0.name) < ($1.position, $1.name) }
    }

    var json: JSONBytes {
        var column = JSONColumn()
        for tag in tags {
            column.append { json in
                json.append(raw: #"{"name":"#)
                json.append(tag.name)
                json.append(raw: #","id":"#)
                json.append(tag.position)
                json.append(raw: "}")
            }
        }
        return column.array
    }
}
