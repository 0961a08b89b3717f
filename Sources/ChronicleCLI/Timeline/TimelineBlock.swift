import Chronicle
import Foundation

/// Some transactions in the form that the page reads: columns instead of objects, which take a third of the space.
///
/// | member | elements |
/// | --- | --- |
/// | `authors`, `contexts`, `programs` | the names to which the columns refer |
/// | `entities` | `{"name": …, "title": index or -1, "links": [indices], "relationships": […], "kindOf": […], "attributes": […]}` |
/// | `ids`, `times` | for each transaction, the difference to the previous one; times in milliseconds since 1970 |
/// | `author`, `context`, `program` | for each transaction, the index of a name; -1 for none, -2 for other programs as author |
/// | `metadata` | `[transaction, {…}]` for those that have some |
/// | `ungrouped`, `partial` | the transactions whose time is not known, and those with more changes than the block contains |
/// | `counts` | for each transaction, the number of its changes |
/// | `kinds`, `entity`, `keys` | for each change, 0 insert, 1 update, 2 delete; the index of its entity; its primary key |
/// | `values` | for each change, an array of attribute, value before, value after, and so on; 0 if there are none |
///
/// The attributes of an entity are those of the schema in its order, then former ones. The other
/// members are those of ``TimelineProperties``.
///
/// The forms of values are those of ``TimelineValues``.
struct TimelineBlock {
    private(set) var transactionCount = 0
    private(set) var changeCount = 0

    private var authors = NumberedNames()
    private var contexts = NumberedNames()
    private var programs = NumberedNames()
    private var entities = NumberedNames()
    private var attributes: [NumberedNames] = []
    /// The properties of the schema for each entity.
    private var properties: [TimelineProperties] = []

    private var ids = JSONColumn()
    private var times = JSONColumn()
    private var author = JSONColumn()
    private var context = JSONColumn()
    private var program = JSONColumn()
    private var metadata = JSONColumn()
    private var ungrouped = JSONColumn()
    private var partial = JSONColumn()
    private var counts = JSONColumn()
    private var kinds = JSONColumn()
    private var entity = JSONColumn()
    private var keys = JSONColumn()
    private var values = JSONColumn()
    private var lastIdentifier: Int64 = 0
    private var lastTime: Int64 = 0
    private let schema: Schema
    /// The store, for the primary keys of a tracked database.
    private let file: StoreFile?
    /// The attributes that are titles, the first one that an entity has.
    private let titles: [String]

    /// A longer list of changes is not readable, and one transaction would fill the page.
    static let maximumChanges = 50_000

    /// - Parameters:
    ///   - schema: The schema of the store, which tells links from other values.
    ///   - file: The store, or `nil` if primary keys are those of the identifiers.
    ///   - titles: The attributes whose values are the titles of models, in the order of preference.
    init(_ schema: Schema, file: StoreFile? = nil, titles: [String] = []) {
        (self.schema, self.file, self.titles) = (schema, file, titles)
    }

    init(_ file: StoreFile, titles: [String]) { self.init(file.schema, file: file, titles: titles) }

    /// About the number of bytes of ``json``.
    var size: Int {
        ids.count + times.count + author.count + context.count + program.count + metadata.count + counts.count
            + kinds.count + entity.count + keys.count + values.count
    }

    // MARK: Transactions

    /// Transactions are added in ascending or in descending order, with `changes` instead of
    /// ``DefaultHistoryTransaction/changes``; `isComplete` states that these are all.
    mutating func append(
        _ transaction: DefaultHistoryTransaction, _ changes: [HistoryChange], isComplete: Bool
    ) throws {
        let time = TimelineValues.milliseconds(transaction.timestamp)
        ids.append(transaction.transactionIdentifier - lastIdentifier)
        times.append(time - lastTime)
        (lastIdentifier, lastTime) = (transaction.transactionIdentifier, time)
        author.append(transaction.isExternal ? -2 : transaction.author.map { authors.number(of: $0) } ?? -1)
        context.append(transaction.contextName.map { contexts.number(of: $0) } ?? -1)
        let name = [
            transaction.bundleIdentifier,
            transaction.processIdentifier.isEmpty ? "" : "(\(transaction.processIdentifier))",
        ]
        .filter { !$0.isEmpty }.joined(separator: " ")
        program.append(name.isEmpty ? -1 : programs.number(of: name))
        if !transaction.metadata.isEmpty { append(transaction.metadata) }
        // The store returns the time of the read.
        if transaction.token.checkValue(in: transaction.storeIdentifier) == nil, file?.store.isTracked != true {
            ungrouped.append(transactionCount)
        }
        if !isComplete { partial.append(transactionCount) }
        counts.append(changes.count)
        for change in changes { try append(change) }
        transactionCount += 1
        changeCount += changes.count
    }

    private mutating func append(_ values: [String: String]) {
        let index = transactionCount
        metadata.append { json in
            json.append(raw: "[")
            json.append(index)
            json.append(raw: ",{")
            for (number, (key, value)) in values.sorted(by: { $0.key < $1.key }).enumerated() {
                if number > 0 { json.append(raw: ",") }
                json.append(key)
                json.append(raw: ":")
                json.append(TimelineValues.shortened(value)?.text ?? value)
            }
            json.append(raw: "}]")
        }
    }

    // MARK: Changes

    private mutating func append(_ change: HistoryChange) throws {
        let identifier = change.changedPersistentIdentifier
        let number = entities.number(of: identifier.entityName)
        if number == attributes.count {
            let described = TimelineProperties(schema.entitiesByName[identifier.entityName], schema, titles)
            properties.append(described)
            attributes.append(NumberedNames(described.names))
        }
        entity.append(number)
        // All digits, and keys of other types.
        let text = try file?.text(of: identifier) ?? identifier.description
        let key = text.dropFirst(identifier.entityName.count + 1)
        keys.append { $0.append(key) }
        let listed = change.preservedValues
        switch change {
        case .insert:
            kinds.append(0)
            append(listed, number) { value, json in
                json.append(raw: "null,")
                TimelineValues.append(value.value, to: &json)
            }
        case .update(let update):
            kinds.append(1)
            let entity = schema.entitiesByName[identifier.entityName]
            let preserved = Set(listed.map(\.name))
            let others = update.updatedAttributeNames.filter { !preserved.contains($0) }
            append(listed, notPreserved: others, number) { value, json in
                let isLink = entity?.property(named: value.name)?.relationship?.isLinked == true
                TimelineValues.append(value.previousValue, isLink: isLink, to: &json)
                json.append(raw: ",")
                TimelineValues.append(value.value, isLink: isLink, to: &json)
            }
        case .delete:
            kinds.append(2)
            let entity = schema.entitiesByName[identifier.entityName]
            let present = listed.filter { value in
                // An empty list has no destination.
                value.previousValue != nil || entity?.property(named: value.name)?.relationship?.isLinked != true
            }
            append(present, number) { value, json in
                TimelineValues.append(value.previousValue, to: &json)
                json.append(raw: ",null")
            }
        }
    }

    private mutating func append(
        _ listed: [PreservedValue], notPreserved names: [String] = [], _ entity: Int,
        _ write: (PreservedValue, inout JSONBytes) -> Void
    ) {
        guard !listed.isEmpty || !names.isEmpty else { return values.append(0) }
        var column = JSONColumn()
        for name in names {
            column.append { json in
                json.append(attributes[entity].number(of: name))
                json.append(raw: #",{"missing":1},{"missing":1}"#)
            }
        }
        for value in listed {
            column.append { json in
                json.append(attributes[entity].number(of: value.name))
                json.append(raw: ",")
                write(value, &json)
            }
        }
        values.append { $0.append(column.array) }
    }

    // MARK: Output

    /// The block as a JSON object without line breaks.
    var json: JSONBytes {
        var json = JSONBytes()
        json.append(raw: #"{"authors":"#)
        json.append(authors.names)
        json.append(raw: #","contexts":"#)
        json.append(contexts.names)
        json.append(raw: #","programs":"#)
        json.append(programs.names)
        json.append(raw: #","entities":["#)
        for (index, name) in entities.names.enumerated() {
            json.append(raw: index == 0 ? #"{"name":"# : #",{"name":"#)
            json.append(name)
            json.append(raw: #","title":"#)
            json.append(properties[index].title ?? -1)
            json.append(raw: #","links":"#)
            var links = JSONColumn()
            for link in properties[index].links { links.append(link) }
            json.append(links.array)
            json.append(raw: #","relationships":"#)
            json.append(properties[index].relationships)
            json.append(raw: #","kindOf":"#)
            json.append(properties[index].kindOf)
            json.append(raw: #","attributes":"#)
            json.append(attributes[index].names)
            json.append(raw: "}")
        }
        json.append(raw: "]")
        let columns: KeyValuePairs<StaticString, JSONColumn> = [
            #","ids":"#: ids, #","times":"#: times, #","author":"#: author, #","context":"#: context,
            #","program":"#: program, #","metadata":"#: metadata, #","ungrouped":"#: ungrouped,
            #","partial":"#: partial,
            #","counts":"#: counts, #","kinds":"#: kinds, #","entity":"#: entity, #","keys":"#: keys,
            #","values":"#: values,
        ]
        for (name, column) in columns {
            json.append(raw: name)
            json.append(column.array)
        }
        json.append(raw: "}")
        return json
    }
}

/// Names and their numbers in the order in which they were first used.
private struct NumberedNames {
    private(set) var names: [String] = []
    private var numbers: [String: Int] = [:]

    init(_ names: [String] = []) { for name in names { _ = number(of: name) } }

    mutating func number(of name: String) -> Int {
        if let number = numbers[name] { return number }
        numbers[name] = names.count
        names.append(name)
        return names.count - 1
    }
}
