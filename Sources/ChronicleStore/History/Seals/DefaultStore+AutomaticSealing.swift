import ChronicleCore

extension DefaultStore {
    /// Starts a purge and a run of the sealer in the background, as far as the configuration requires them and they are due.
    @inline(__always)
    func startMaintenance() {
        startAutomaticPurge()
        if let schedule = configuration.historySealing { startSealing(schedule) }
    }

    private func startSealing(_ schedule: HistorySealingSchedule) {
        guard configuration.recordsHistory, !layout.isTracked else { return }
        automaticSealing.start(self, schedule)
    }
}
