import Chronicle

/// A few trips to start with.
public enum SampleData {
    private struct Sample {
        let name, destination, start, end: String
        let place: String?
        let wishes: [String]
    }

    private static let samples = [
        Sample(
            name: "Rome", destination: "Italy", start: "2027-05-01", end: "2027-05-08", place: "Casa Rossa",
            wishes: ["Colosseum", "Trastevere by night"]),
        Sample(
            name: "Kyoto", destination: "Japan", start: "2027-11-12", end: "2027-11-26", place: "Ryokan Sakura",
            wishes: ["Fushimi Inari", "Tea house"]),
        Sample(
            name: "Lisbon", destination: "Portugal", start: "2027-07-03", end: "2027-07-10", place: "Pensão Central",
            wishes: ["Tram 28"]),
        Sample(
            name: "Oslo", destination: "Norway", start: "2027-02-18", end: "2027-02-22", place: nil,
            wishes: ["Ski jump", "Fram museum"]),
    ]

    /// Inserts the trips into a context, for the next save.
    public static func insert(into context: ModelContext) throws {
        for sample in samples {
            let trip = Trip(
                name: sample.name, destination: sample.destination, startDate: try Day.parse(sample.start),
                endDate: try Day.parse(sample.end))
            trip.bucketList = sample.wishes.map(BucketListItem.init)
            trip.livingAccommodation = sample.place.map(LivingAccommodation.init)
            context.insert(trip)
        }
    }
}
