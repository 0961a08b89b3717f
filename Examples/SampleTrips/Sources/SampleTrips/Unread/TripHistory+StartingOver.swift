import Chronicle

extension TripHistory {
    /// The marks whose trips and accommodations still exist, which is all that can be determined without the history.
    func valid(_ marks: Set<TripMark>) throws -> Set<TripMark> {
        let trips = Set(try context.fetchIdentifiers(FetchDescriptor<Trip>()))
        let accommodations = Set(try context.fetchIdentifiers(FetchDescriptor<LivingAccommodation>()))
        return marks.filter { trips.contains($0.trip) && accommodations.contains($0.accommodation) }
    }
}
