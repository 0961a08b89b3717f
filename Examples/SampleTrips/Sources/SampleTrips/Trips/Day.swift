import Foundation

/// Days as text, such as `2027-05-01`; midnight in UTC wherever the program runs.
public enum Day {
    private static let style = Date.ISO8601FormatStyle().year().month().day()

    /// The day in a text.
    public static func parse(_ text: String) throws -> Date {
        // The parser accepts the 31st of February as a day in March, and ignores text after the date. Formatting the
        // day again detects both.
        let notADay = UsageError("“\(text)” is not a day; write it like 2027-05-01")
        do {
            let day = try Date(text, strategy: style)
            guard format(day) == text else { throw notADay }
            return day
        } catch { throw notADay }
    }

    public static func format(_ date: Date) -> String { date.formatted(style) }

    public static func format(_ start: Date, _ end: Date) -> String { "\(format(start)) to \(format(end))" }
}
