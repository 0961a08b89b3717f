import Foundation

/// Days as people type and read them: `2027-05-01`, midnight in UTC wherever the program runs.
public enum Day {
    private static let style = Date.ISO8601FormatStyle().year().month().day()

    /// The day that a text names.
    public static func parse(_ text: String) throws -> Date {
        // The parser takes the 31st of February for a day in March, and leaves alone what follows a date: both are
        // found by writing the day again.
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
