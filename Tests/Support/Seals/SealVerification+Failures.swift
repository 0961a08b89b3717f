package import Chronicle

extension SealVerification {
    /// What must not be found in a history that only Chronicle has changed: a difference, or a head that is neither proven nor
    /// before the boundary of a purge.
    package var failures: [String] {
        var failures: [String] = []
        if let difference {
            let position = difference.position.map { " at \($0)" } ?? ""
            failures.append("\(difference.kind.rawValue)\(position): \(difference.detail)")
        }
        for head in heads {
            switch head.outcome {
            case .proven: break
            case .purged where head.head.position <= boundary?.position ?? -1: break
            default: failures.append("the head \(head.head) is \(head.outcome)")
            }
        }
        return failures
    }
}
