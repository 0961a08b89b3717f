import Foundation

enum DateText {
    /// Returns a date with the offset of its time zone, such as `2026-03-01 14:05:09 +0100`.
    static func text(_ date: Date, in timeZone: TimeZone) -> String {
        let seconds = timeZone.secondsFromGMT(for: date)
        let sign = seconds < 0 ? "-" : "+"
        let minutes = abs(seconds) / 60
        return "\(civil(date, offset: seconds)) \(sign)\(padded(minutes / 60, 2))\(padded(minutes % 60, 2))"
    }

    /// Returns a date in UTC with microseconds, such as `2026-03-01T13:05:09.123456Z`, for JSON.
    static func iso8601(_ date: Date) -> String {
        let interval = date.timeIntervalSinceReferenceDate
        guard isRepresentable(interval) else { return String(interval) }
        let micros = Int64((interval * 1e6).rounded())
        let seconds = micros >= 0 ? micros / 1_000_000 : (micros - 999_999) / 1_000_000
        let text = civil(Date(timeIntervalSinceReferenceDate: Double(seconds)), offset: 0)
        return text.replacing(" ", with: "T") + "." + padded(Int(micros - seconds * 1_000_000), 6) + "Z"
    }

    /// Whether the date is between the years 1 and 9999. A file can contain any number.
    private static func isRepresentable(_ interval: Double) -> Bool { abs(interval) < 63_000_000_000 }

    private static func civil(_ date: Date, offset: Int) -> String {
        let interval = date.timeIntervalSinceReferenceDate
        guard isRepresentable(interval) else { return String(interval) }
        // The algorithm of https://howardhinnant.github.io/date_algorithms.html#civil_from_days, which takes a small
        // part of the time of `Calendar`: a log contains a date for each transaction.
        let total = Int(interval.rounded(.down)) + 978_307_200 + offset
        let days = total >= 0 ? total / 86_400 : (total - 86_399) / 86_400
        let time = total - days * 86_400
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfYear - (153 * part + 2) / 5 + 1, 2)) "
            + "\(padded(time / 3_600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2))"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
