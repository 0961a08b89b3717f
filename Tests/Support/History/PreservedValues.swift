package import Chronicle
package import Foundation

extension HistoryRetaining where HistoryType == DefaultHistoryTransaction {
    /// Erases preserved values in all steps of a purge, and returns their number.
    package func eraseValues(_ rule: PreservedValueRule, at date: Date = .now) throws -> Int {
        let plan = try planHistoryPurge(HistoryRetention(valueRules: [rule]), at: date)
        var values = 0
        while true {
            let step = try purgeHistory(plan)
            values += step.values
            if step.isLast { return values }
        }
    }

    /// The sorted names of the preserved values of each change.
    package func preservedNames() throws -> [[String]] {
        try fetchHistory(HistoryDescriptor()).flatMap(\.changes).map { $0.preservedValues.map(\.name).sorted() }
    }
}
