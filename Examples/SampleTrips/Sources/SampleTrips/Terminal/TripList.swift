import Chronicle
import Foundation

/// Trips as lines of text.
public struct TripList {
    private let style = Style.output

    public init() {}

    /// One line for each trip, with a mark on those that changed since they were last displayed.
    public func lines(_ trips: [Trip], _ unread: UnreadTrips<some HistoryTransaction>) -> [String] {
        lines(trips) { unread.contains($0.persistentModelID) }
    }

    /// One line for each trip.
    public func lines(_ trips: [Trip], isUnread: (Trip) -> Bool = { _ in false }) -> [String] {
        guard !trips.isEmpty else { return ["No trips yet. `app seed` makes a few, `app add` makes one."] }
        var table = Table()
        if style.isTerminal {
            table.add(.init(""), header("TRIP"), header("DESTINATION"), header("DAYS"), header("STAY"))
        }
        for trip in trips {
            let isUnread = isUnread(trip)
            table.add(
                .init(" ") { isUnread ? style.mark : $0 }, .init(trip.name, style.bold),
                .init(trip.destination), .init(Day.format(trip.startDate, trip.endDate)),
                stay(trip.livingAccommodation))
        }
        return table.lines
    }

    /// One trip with all details.
    public func details(_ trip: Trip, isUnread: Bool) -> [String] {
        var table = Table()
        table.add(header("Destination"), .init(trip.destination))
        table.add(header("Days"), .init(Day.format(trip.startDate, trip.endDate)))
        table.add(header("Stay"), stay(trip.livingAccommodation))
        for (index, item) in trip.bucketList.enumerated() {
            table.add(header(index == 0 ? "To do" : ""), .init(item.isDone ? "[x] \(item.title)" : "[ ] \(item.title)"))
        }
        let title = style.bold(trip.name)
        return [isUnread ? "\(style.mark) \(title)" : title] + table.lines.map { "  \($0)" }
            + (isUnread ? [style.dim("  The stay changed since you last looked.")] : [])
    }

    /// The message about what the app found in the history.
    public func lines(_ report: UnreadReport) -> [String] {
        var lines = report.deletedTrips.map { trip in
            let days = [trip.startDate, trip.endDate].compactMap(\.self).map(Day.format)
            let when = days.isEmpty ? "" : " (\(days.joined(separator: " to ")))"
            return "\(style.red("×")) \(style.bold(trip.name))\(when) was deleted elsewhere."
        }
        if report.startedOver {
            lines.append("\(style.accent("!")) The history since the last time is gone. Starting over from now.")
        }
        return lines
    }

    private func header(_ text: String) -> Table.Cell { .init(text, style.dim) }

    private func stay(_ accommodation: LivingAccommodation?) -> Table.Cell {
        guard let accommodation else { return .init("nowhere yet", style.dim) }
        return accommodation.isConfirmed
            ? .init("\(accommodation.placeName), confirmed", style.green)
            : .init("\(accommodation.placeName), not confirmed")
    }
}
