import Chronicle
import Foundation

/// A position in the history as the user writes it.
///
/// | text | position |
/// | --- | --- |
/// | `42` | after transaction 42, or the part of another program's transaction that had this number |
/// | `42-00c0ffee00c0ffee` | the same, with the check value of its token, which detects a restored backup |
/// | `{"positions":…}` | a token as JSON, as programs store it |
/// | `start` or `beginning` | before the first transaction that the history contains, or the first one after a gap |
/// | `now` | after the newest transaction |
/// | `2026-03-01`, `2026-03-01 14:30`, `2026-03-01T14:30:00Z` | the last transaction up to a date, local time without a zone |
/// | `today`, `yesterday` | the beginning of the day |
/// | `1w`, `2d`, `3h`, `45m`, `10s` | as many weeks, days, hours, minutes or seconds ago |
/// | another text, or `tag:NAME` | a tag |
enum Position: Equatable {
    case token(DefaultHistoryToken)
    case date(Date)

    /// Throws ``UsageError`` if the text is none of these. The error names them and other words of an option.
    init(
        _ text: String, in store: any InspectedStore, _ settings: Console.Settings, others: [String] = []
    ) throws {
        if let token = try Self.token(text, in: store) {
            self = .token(token)
        } else if let date = Self.date(text, settings) {
            self = .date(date)
        } else {
            self = .token(try Self.tag(text, in: store, others))
        }
    }

    /// Throws `SwiftDataError.historyTokenExpired` if the history does not reach back to the date.
    func token(in store: any InspectedStore) throws -> DefaultHistoryToken {
        switch self {
        case .token(let token): token
        case .date(let date): try store.historyToken(asOf: date)
        }
    }

    /// Returns the position up to which, or from which on, a command shows transactions. For a date at which nothing was recorded,
    /// this is the position at which recording resumed.
    func bound(in store: any InspectedStore) throws -> DefaultHistoryToken {
        do { return try token(in: store) } catch let error as SwiftDataError where error == .historyTokenGap {
            guard case .date = self, let store = store as? any ToolStore else { throw error }
            return try store.completeHistoryToken()
        }
    }

    private static func token(_ text: String, in store: any InspectedStore) throws -> DefaultHistoryToken? {
        switch text {
        case "start", "beginning":
            // Reading from before a gap is an error.
            if let gap = try (store as? any ToolStore)?.historyGap() { return gap }
            // The history of a tracked database begins when it was tracked, and that of a store after the last purge.
            if let earliest = try store.earliestHistoryToken() { return earliest }
            return DefaultHistoryToken(storeIdentifier: store.identifier, position: 0)
        case "now": return try store.currentHistoryToken()
        default: break
        }
        if text.hasPrefix("{") {
            do { return try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(text.utf8)) } catch {
                throw UsageError("the JSON is not a token")
            }
        }
        if let position = Int64(text), position >= 0 {
            return try self.token(ofTransaction: position, in: store)
        }
        return DefaultHistoryToken(text: text, storeIdentifier: store.identifier)
    }

    /// Errors of the store about the number are left to the command.
    private static func token(ofTransaction number: Int64, in store: any InspectedStore) throws -> DefaultHistoryToken {
        let token = DefaultHistoryToken(storeIdentifier: store.identifier, position: number)
        do {
            var check = HistoryDescriptor<DefaultHistoryTransaction>.after(token)
            check.fetchLimit = 1
            _ = try store.fetchHistoryIdentifiers(check)
        } catch SwiftDataError.historyTokenForked, SwiftDataError.historyTokenAhead {
            throw try MissingTransaction(number: number, in: store)
        } catch SwiftDataError.historyTokenExpired {
            return token
        }
        if number == 0 { return token }
        if let transaction = try transaction(at: token, in: store) { return transaction.token }
        // The newest deleted transaction is a position, too, and so is the end of a gap.
        if try store.earliestHistoryToken() == token { return token }
        if try (store as? any ToolStore)?.historyGap() == token { return token }
        // The number of another program's transaction is that of its last change until a header follows it.
        guard try transaction(containing: token, in: store)?.isExternal == true else {
            throw try MissingTransaction(number: number, in: store)
        }
        return token
    }

    /// `nil` if there is no change at the position.
    static func transaction(
        containing token: DefaultHistoryToken, in store: any InspectedStore
    ) throws -> DefaultHistoryTransaction? {
        // A transaction of which all changes precede the token is not after it.
        let next = DefaultHistoryToken(
            storeIdentifier: store.identifier, position: (token.position(in: store.identifier) ?? 0) &+ 1)
        if let header = try transaction(at: next, in: store),
            header.token.checkValue(in: store.identifier) != nil
        {
            return header
        }
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>.after(token)
        descriptor.fetchLimit = 1
        return try store.fetchHistoryWithoutChanges(descriptor).first
    }

    private static func transaction(
        at token: DefaultHistoryToken, in store: any InspectedStore
    ) throws -> DefaultHistoryTransaction? {
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token == token })
        descriptor.fetchLimit = 1
        do { return try store.fetchHistoryWithoutChanges(descriptor).first } catch SwiftDataError.historyTokenForked,
            SwiftDataError.historyTokenAhead
        { return nil }
    }

    /// Whether a text is one of the forms of a position that precede tags.
    static func isOther(thanTag text: String, in store: any InspectedStore, _ settings: Console.Settings) -> Bool {
        ["start", "beginning", "now"].contains(text) || text.hasPrefix("{") || text.hasPrefix("tag:")
            || Int64(text) != nil
            || DefaultHistoryToken(text: text, storeIdentifier: store.identifier) != nil || date(text, settings) != nil
    }

    private static func tag(
        _ text: String, in store: any InspectedStore, _ others: [String]
    ) throws -> DefaultHistoryToken {
        let name = text.hasPrefix("tag:") ? String(text.dropFirst(4)) : text
        let tags = try store.historyTags()
        if let tag = tags.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) { return tag.token }
        let nearest = NearestName.nearest(to: name, in: tags.map(\.name))
        let words = ["a transaction", "a date", "a tag", "start", "now"] + others
        let list = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        throw UsageError(
            "\(text.escaped) is not a position: write \(list)"
                + (nearest.map { "; did you mean the tag \($0.escaped)?" } ?? ""))
    }

    // MARK: Dates

    static func date(_ text: String, _ settings: Console.Settings) -> Date? {
        relativeDate(text, settings) ?? absoluteDate(text, settings.timeZone)
    }

    /// Returns the first time of a day before the present one.
    private static func beginning(daysAgo days: Int, _ settings: Console.Settings) -> Date? {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = settings.timeZone
        return calendar.date(byAdding: .day, value: -days, to: settings.now()).map(calendar.startOfDay)
    }

    private static func relativeDate(_ text: String, _ settings: Console.Settings) -> Date? {
        switch text {
        case "today": beginning(daysAgo: 0, settings)
        case "yesterday": beginning(daysAgo: 1, settings)
        default: seconds(text).map { settings.now().addingTimeInterval(-$0) }
        }
    }

    /// Returns the number of seconds of a text such as `3h`.
    static func seconds(_ text: String) -> Double? {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int32(text.dropLast()), count >= 0 else {
            return nil
        }
        return Double(count) * unit
    }

    private static func absoluteDate(_ text: String, _ timeZone: TimeZone) -> Date? {
        let pattern =
            /(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?)?)? ?(Z|[+-]\d\d:?\d\d)?/
            .asciiOnlyDigits()
        guard let match = text.wholeMatch(of: pattern)?.output else { return nil }
        var zone: TimeZone? = timeZone
        if let text = match.8 {
            let digits = text.filter(\.isNumber)
            let minutes = (Int(digits.prefix(2)) ?? 0) * 60 + (Int(digits.suffix(2)) ?? 0)
            zone = TimeZone(secondsFromGMT: (text.hasPrefix("-") ? -60 : 60) * minutes)
        }
        guard let zone else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let components = DateComponents(
            year: Int(match.1), month: Int(match.2), day: Int(match.3), hour: match.4.flatMap { Int($0) } ?? 0,
            minute: match.5.flatMap { Int($0) } ?? 0, second: match.6.flatMap { Int($0) } ?? 0)
        guard components.isValidDate(in: calendar), let local = calendar.date(from: components) else { return nil }
        return date(local: local, in: zone).addingTimeInterval(match.7.flatMap { Double("0\($0)") } ?? 0)
    }

    /// The first date at which the clocks of a time zone show the time that clocks of GMT show at `local`, or a later one
    /// if they skip it.
    private static func date(local: Date, in zone: TimeZone) -> Date {
        func offset(_ date: Date) -> Double { Double(zone.secondsFromGMT(for: date)) }
        // The clocks of a zone differ from those of GMT by less than a day.
        let (before, after) = (offset(local.addingTimeInterval(-86_400)), offset(local.addingTimeInterval(86_400)))
        for offsetAtDate in [before, after] {
            let date = local.addingTimeInterval(-offsetAtDate)
            if offset(date) == offsetAtDate { return date }
        }
        // The clocks were set forward between these dates.
        var (earlier, later) = (local.addingTimeInterval(-after), local.addingTimeInterval(-before))
        while later.timeIntervalSince(earlier) > 1 {
            let middle = earlier.addingTimeInterval((later.timeIntervalSince(earlier) / 2).rounded(.down))
            if offset(middle) == before { earlier = middle } else { later = middle }
        }
        return later
    }
}

struct MissingTransaction: Error {
    let message: String

    init(number: Int64, in store: any InspectedStore) throws {
        message = "there is no transaction \(number)\(try Self.neighbors(number, store))"
    }

    /// Numbers have gaps, because changes take numbers, too.
    private static func neighbors(_ number: Int64, _ store: any InspectedStore) throws -> String {
        let token = DefaultHistoryToken(storeIdentifier: store.identifier, position: number)
        func find(_ predicate: Predicate<DefaultHistoryTransaction>?, _ order: SortOrder) throws -> Int64? {
            var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: predicate)
            descriptor.sortBy = [SortDescriptor(\.token, order: order)]
            descriptor.fetchLimit = 1
            return try store.fetchHistoryIdentifiers(descriptor).first
        }
        guard let newest = try find(nil, .reverse) else { return "" }
        if number > newest { return "; the newest is \(newest)" }
        let before: Int64?
        do { before = try find(#Predicate { $0.token < token }, .reverse) } catch SwiftDataError.historyTokenExpired {
            // The history before the number was deleted.
            before = nil
        }
        var after: Int64?
        if let before {
            let token = DefaultHistoryToken(storeIdentifier: store.identifier, position: before)
            // After a gap, the next transaction cannot be found from one before it.
            do { after = try find(#Predicate { $0.token > token }, .forward) } catch SwiftDataError.historyTokenExpired
            {}
        } else {
            after = try find(nil, .forward)
        }
        let numbers = [before, after].compactMap { $0 }
        return switch numbers.count {
        case 0: ""
        case 1: "; the nearest is \(numbers[0])"
        default: "; the nearest are \(numbers[0]) and \(numbers[1])"
        }
    }
}
