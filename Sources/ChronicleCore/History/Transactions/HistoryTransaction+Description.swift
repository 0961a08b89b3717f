import Foundation

// The texts of transactions and changes, as `chronicle log` prints them. They contain preserved values.

extension DefaultHistoryTransaction: CustomStringConvertible {
    /// The transaction with its changes and their preserved values, in several lines, as `chronicle log` prints it.
    ///
    /// The format may change. The text contains values of models, so do not log it if these must not be logged.
    public var description: String {
        let check = token.checkValue(in: storeIdentifier)
        var lines = ["transaction \(position(check))\(isExternal ? " (other programs)" : "")"]
        if let author { lines.append("Author:  \(author.printable)") }
        if let contextName { lines.append("Context: \(contextName.printable)") }
        // The store returns the time of the read for changes of other programs that no save has grouped yet.
        lines.append(
            "Date:    \(check == nil ? "not known until a program that uses Chronicle saves" : timestamp.logText)")
        if !isExternal { lines.append("Program: \(bundleIdentifier.printable) (\(processIdentifier.printable))") }
        if !metadata.isEmpty { lines.append("Metadata:") }
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            lines.append("         \(key.printable): \(value.printable)")
        }
        if !changes.isEmpty { lines.append("") }
        for change in changes {
            lines += change.description.split(separator: "\n").map { "    \($0)" }
        }
        return lines.joined(separator: "\n")
    }

    private func position(_ check: Int64?) -> String {
        let position = String(token.position(in: storeIdentifier) ?? transactionIdentifier)
        guard let check else { return position }
        let digits = String(UInt64(bitPattern: check), radix: 16)
        return "\(position)-" + String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension HistoryChange: CustomStringConvertible {
    /// The kind of the change, the model, and the preserved values in further lines, as `chronicle log` prints them.
    ///
    /// ```text
    /// update Trip/1
    ///     note: nil -> "Bring an umbrella"
    /// ```
    ///
    /// The format may change. The text contains values of models, so do not log it if these must not be logged.
    public var description: String {
        switch self {
        case .insert(let insert):
            text("insert", insert.preservedValues.map { "\($0.name): \(Self.text($0.value))" })
        case .update(let update):
            text("update", Self.lines(of: update))
        case .delete(let delete):
            text("delete", Self.lines(of: delete))
        }
    }

    private func text(_ kind: String, _ values: [String]) -> String {
        let model = changedPersistentIdentifier.description.printable
        return (["\(kind) \(model)"] + values.map { "    \($0)" }).joined(separator: "\n")
    }

    private static func lines<Update: HistoryUpdate>(of update: Update) -> [String] {
        let values = update.preservedValues
        let names = update.updatedAttributeNames.filter { name in !values.contains { $0.name == name } }
        return names.map(\.printable)
            + values.map { value in
                guard Update.Model.isList(value.name) else {
                    return "\(value.name): \(text(value.previousValue)) -> \(text(value.value))"
                }
                // A destination that was removed or added.
                return value.previousValue.map { "\(value.name): - \(text($0))" }
                    ?? "\(value.name): + \(text(value.value))"
            }
    }

    private static func lines<Delete: HistoryDelete>(of delete: Delete) -> [String] {
        delete.preservedValues.compactMap { value in
            // A list without destinations.
            if value.previousValue == nil, Delete.Model.isList(value.name) { return nil }
            return "\(value.name): \(text(value.previousValue))"
        }
    }

    private static func text(_ value: (any Sendable)?) -> String {
        switch value {
        case nil: "nil"
        case let value as String: value.debugDescription
        case let value as Date: value.logText
        case let value as Data: value.logText
        case let value as UndecodableValue: text(value.storedValue.plainValue)
        case let value as PropertyValue: text(value.plainValue)
        case let value?: "\(value)".printable
        }
    }
}

extension DefaultHistoryInsert: CustomStringConvertible {
    /// The text of ``HistoryChange/description``, which contains values of the model.
    public var description: String { HistoryChange.insert(self).description }
}

extension DefaultHistoryUpdate: CustomStringConvertible {
    /// The text of ``HistoryChange/description``, which contains values of the model.
    public var description: String { HistoryChange.update(self).description }
}

extension DefaultHistoryDelete: CustomStringConvertible {
    /// The text of ``HistoryChange/description``, which contains values of the model.
    public var description: String { HistoryChange.delete(self).description }
}

extension PersistentModel {
    fileprivate static func isList(_ name: String) -> Bool {
        guard let keyPath = allProperties.keyPath(named: name) else { return false }
        return (unwrapped(type(of: keyPath as AnyKeyPath).valueType) as? any ValueCollection.Type)
            .map { $0.elementType is any PersistentModel.Type } ?? false
    }
}

extension String {
    /// Escapes control characters, which could change the lines around the text.
    fileprivate var printable: String {
        unicodeScalars.contains { $0.properties.generalCategory == .control }
            ? String(debugDescription.dropFirst().dropLast()) : self
    }
}

extension Date {
    fileprivate var logText: String {
        // A store can contain any number; the calendar is for the years 1 to 9999.
        guard abs(timeIntervalSinceReferenceDate) < 63_000_000_000 else {
            return String(timeIntervalSinceReferenceDate)
        }
        let seconds = TimeZone.current.secondsFromGMT(for: self)
        let style = Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day().dateSeparator(.dash)
            .dateTimeSeparator(.space).time(includingFractionalSeconds: false).timeSeparator(.colon)
        let minutes = abs(seconds) / 60
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\((self + Double(seconds)).formatted(style)) \(seconds < 0 ? "-" : "+")\(padded(minutes / 60))"
            + padded(minutes % 60)
    }
}

extension Data {
    /// The number of bytes, and the first of them.
    fileprivate var logText: String {
        let digits = prefix(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return "<\(count) bytes\(isEmpty ? "" : " ")\(digits)\(count > 16 ? "…" : "")>"
    }
}
