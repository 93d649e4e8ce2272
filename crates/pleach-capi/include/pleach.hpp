// The C++17 interface of pleach: pleach.h with owners, exceptions and lambdas. Header only.
//
// - Objects own their handles and are moved, not copied; get() lends the handle for functions of pleach.h.
// - Errors are exceptions of type pleach::error. Overloads with std::nothrow as last argument return
//   a pleach_result instead.
// - Leaves are lambdas. They live as long as a tree, a forest or a brain uses them. An exception that
//   leaves one fails the agent, and comes out of the tick as pleach::error with its what().
// - The rules of threads are those of pleach.h.
#ifndef PLEACH_HPP
#define PLEACH_HPP

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pleach.h"

namespace pleach {

using agent_id = pleach_agent;
using tree_id = pleach_tree_id;
using group_id = pleach_group;
using vec2 = std::array<float, 2>;
using vec3 = std::array<float, 3>;

/// One of the game's objects, by the game's own name for it.
enum class entity : std::uint64_t { none = 0 };
/// Nanoseconds of a forest's time.
enum class moment : std::uint64_t {};

/// A word of a symbol key, or the name of an event.
struct symbol {
    std::uint64_t bits = 0;
    symbol() = default;
    symbol(const char *word) : bits(pleach_symbol(word)) {}
    symbol(const std::string &word) : symbol(word.c_str()) {}
    friend bool operator==(symbol a, symbol b) { return a.bits == b.bits; }
    friend bool operator!=(symbol a, symbol b) { return a.bits != b.bits; }
};

enum class status : std::uint8_t { failure = PLEACH_FAILURE, success = PLEACH_SUCCESS, running = PLEACH_RUNNING };
enum class end : std::uint8_t {
    failure = PLEACH_END_FAILURE,
    success = PLEACH_END_SUCCESS,
    aborted = PLEACH_END_ABORTED,
    switched = PLEACH_END_SWITCHED,
    decided = PLEACH_END_DECIDED,
    stopped = PLEACH_END_STOPPED,
    replaced = PLEACH_END_REPLACED,
    despawned = PLEACH_END_DESPAWNED,
    not_instant = PLEACH_END_NOT_INSTANT,
    other = PLEACH_END_OTHER,
};

enum class phase : std::int32_t {
    active = PLEACH_PHASE_ACTIVE,
    asleep = PLEACH_PHASE_ASLEEP,
    paused = PLEACH_PHASE_PAUSED,
    off = PLEACH_PHASE_OFF,
};

/// The version of the library, for people.
inline const char *version() noexcept { return pleach_version(); }
/// Whether the library is of the same version of the interface as the header.
inline bool fits() noexcept { return pleach_abi_version() == PLEACH_ABI_VERSION; }
/// What a result is called: "PLEACH_OK".
inline const char *name_of(pleach_result result) noexcept { return pleach_result_name(result); }

/// Something that is wrong, and where.
struct problem {
    pleach_result result = PLEACH_OK;
    std::string message, help, file, code;
    std::uint32_t line = 0, column = 0;
    agent_id agent{0};

    static problem of(const pleach_problem &it) {
        return {it.result, it.message, it.help, it.file, it.code, it.line, it.column, {it.agent}};
    }
};

/// What a function of the library refuses to do, or what went wrong in leaves.
class error : public std::runtime_error {
public:
    /// The error of the call that failed last on this thread.
    static error last(pleach_result result) {
        std::size_t count = 0;
        pleach_last_error(0, nullptr, &count);
        std::vector<problem> all;
        for (std::size_t i = 0; i < count; i++) {
            pleach_problem it = pleach_problem();
            it.struct_size = sizeof it;
            if (pleach_last_error(i, &it, nullptr) == PLEACH_OK) {
                all.push_back(problem::of(it));
            }
        }
        return error(result, std::move(all));
    }

    /// An error of this header: a value has a different type than requested.
    static error argument(std::string message) {
        problem it;
        it.result = PLEACH_ERROR_ARGUMENT;
        it.message = std::move(message);
        return error(it.result, {it}, it.message.c_str());
    }

    pleach_result result() const noexcept { return result_; }
    /// All problems, in the order of the file.
    const std::vector<problem> &problems() const noexcept { return *problems_; }
    std::string_view file() const noexcept { return first().file; }
    std::uint32_t line() const noexcept { return first().line; }
    std::uint32_t column() const noexcept { return first().column; }

private:
    error(pleach_result result, std::vector<problem> all, const char *message = pleach_last_message())
        : std::runtime_error(message), result_(result),
          problems_(std::make_shared<const std::vector<problem>>(std::move(all))) {}
    const problem &first() const noexcept {
        static const problem none;
        return problems_->empty() ? none : problems_->front();
    }

    pleach_result result_;
    std::shared_ptr<const std::vector<problem>> problems_;
};

/// Throws what a function of pleach.h returned, unless that is PLEACH_OK.
inline void check(pleach_result result) {
    if (result != PLEACH_OK) {
        throw error::last(result);
    }
}

namespace detail {

/// What is known about the C++ type of a key.
template <class T> struct type_of;
#define PLEACH_TYPE_(type, constant, make, take)                         \
    template <> struct type_of<type> {                                   \
        static constexpr pleach_type value = constant;                   \
        static pleach_value to(const type &it) noexcept { return make; } \
        static type from(const pleach_value &it) noexcept { return take; } \
    };
PLEACH_TYPE_(bool, PLEACH_TYPE_BOOL, pleach_bool(it), it.as.boolean != 0)
PLEACH_TYPE_(std::int64_t, PLEACH_TYPE_INT, pleach_int(it), it.as.integer)
PLEACH_TYPE_(float, PLEACH_TYPE_FLOAT, pleach_float(it), it.as.number)
PLEACH_TYPE_(vec2, PLEACH_TYPE_VEC2, pleach_vec2(it[0], it[1]), (vec2{it.as.vec2[0], it.as.vec2[1]}))
PLEACH_TYPE_(vec3, PLEACH_TYPE_VEC3, pleach_vec3(it[0], it[1], it[2]),
    (vec3{it.as.vec3[0], it.as.vec3[1], it.as.vec3[2]}))
PLEACH_TYPE_(entity, PLEACH_TYPE_ENTITY, pleach_entity(static_cast<std::uint64_t>(it)), entity(it.as.bits))
PLEACH_TYPE_(moment, PLEACH_TYPE_TIME, pleach_time(static_cast<std::uint64_t>(it)), moment(it.as.bits))
#undef PLEACH_TYPE_
template <> struct type_of<symbol> {
    static constexpr pleach_type value = PLEACH_TYPE_SYMBOL;
    static pleach_value to(symbol it) noexcept {
        pleach_value value = pleach_value();
        value.type = PLEACH_TYPE_SYMBOL;
        value.as.bits = it.bits;
        return value;
    }
    static symbol from(const pleach_value &it) noexcept {
        symbol value;
        value.bits = it.as.bits;
        return value;
    }
};

template <class T> T sized() noexcept {
    T it = T();
    it.struct_size = sizeof(T);
    return it;
}

inline void append(void *to, const char *bytes, std::size_t length) {
    static_cast<std::string *>(to)->append(bytes, length);
}

/// What a function writes.
template <class F> std::string written(F &&call) {
    std::string text;
    check(call(&append, static_cast<void *>(&text)));
    return text;
}

/// A list whose length a function returns.
template <class T, class F> std::vector<T> listed(F &&call) {
    std::size_t count = 0;
    check(call(static_cast<T *>(nullptr), std::size_t(0), &count));
    std::vector<T> all(count);
    check(call(all.data(), count, &count));
    return all;
}

/// What a key that was found by its name holds.
template <class T> T as(const std::string &name, const pleach_value &value) {
    if (value.type != type_of<T>::value) {
        throw error::argument("the key `" + name + "` is of another type");
    }
    return type_of<T>::from(value);
}

using lines = std::function<void(std::string_view)>;

inline void tell_lines(void *to, const char *bytes, std::size_t length) noexcept {
    (*static_cast<lines *>(to))({bytes, length});
}

/// Calls with a function of the game, which are kept once they have succeeded; nothing for none.
template <class F, class C> void lend(std::unique_ptr<F> &kept, F it, bool some, C &&call) {
    auto next = some ? std::make_unique<F>(std::move(it)) : nullptr;
    check(call(static_cast<void *>(next.get())));
    kept = std::move(next);
}

/// A handle and the function that frees it.
template <class H, pleach_result (*Free)(H)> class owner {
public:
    owner() = default;
    explicit owner(H handle) noexcept : handle_(handle) {}
    owner(owner &&other) noexcept : handle_(std::exchange(other.handle_, H{0})) {}
    owner &operator=(owner &&other) noexcept {
        if (this != &other) {
            release();
            handle_ = std::exchange(other.handle_, H{0});
        }
        return *this;
    }
    ~owner() { release(); }
    H get() const noexcept { return handle_; }

protected:
    H handle_{0};

private:
    void release() noexcept {
        if (handle_.id != 0) {
            Free(handle_);
        }
    }
};

/// What is called for a leaf.
struct leaf;
using leaves = std::vector<std::unique_ptr<leaf>>;
using shared_leaves = std::shared_ptr<leaves>;

/// Keeps the leaves of a registry, once.
inline void keep(std::vector<shared_leaves> &all, const shared_leaves &it) {
    for (const shared_leaves &known : all) {
        if (known == it) {
            return;
        }
    }
    all.push_back(it);
}

} // namespace detail

/// A key of a tree, with the type of its values.
template <class T> struct key {
    pleach_key raw{};
};

/// Agents of a call of a leaf, by their numbers from 0 on.
class batch {
public:
    batch(pleach_call call, const agent_id *agents, std::size_t count, pleach_status *statuses) noexcept
        : call_(call), agents_(agents), count_(count), statuses_(statuses) {}

    pleach_call get() const noexcept { return call_; }
    std::size_t size() const noexcept { return count_; }
    const agent_id *begin() const noexcept { return agents_; }
    const agent_id *end() const noexcept { return agents_ + count_; }
    agent_id operator[](std::size_t agent) const noexcept { return agents_[agent]; }

    /// What the leaf says of an agent.
    void answer(std::size_t agent, status it) noexcept { statuses_[agent] = static_cast<pleach_status>(it); }
    void answer(std::size_t agent, bool it) noexcept { statuses_[agent] = it ? PLEACH_SUCCESS : PLEACH_FAILURE; }
    void answer_all(status it) noexcept {
        for (std::size_t i = 0; i < count_; i++) {
            answer(i, it);
        }
    }
    /// The leaf went wrong for an agent: it fails for that agent.
    void fail(std::size_t agent, const char *message) noexcept { pleach_call_fail(call_, agent, message); }

    /// Parameters, by their indices in the description.
    double number(std::size_t index) const {
        double it = 0;
        check(pleach_call_number(call_, index, &it));
        return it;
    }
    float expr(std::size_t index, std::size_t agent = 0) const {
        float it = 0;
        check(pleach_call_expr(call_, index, agent, &it));
        return it;
    }
    std::string_view text(std::size_t index) const {
        const char *it = nullptr;
        std::size_t length = 0;
        check(pleach_call_text(call_, index, &it, &length));
        return {it, length};
    }
    /// A parameter that is an event: for hears() and send().
    symbol event(std::size_t index) const {
        symbol it;
        check(pleach_call_event_name(call_, index, &it.bits));
        return it;
    }
    /// A parameter of several numbers.
    std::vector<float> floats(std::size_t index) const {
        return detail::listed<float>([&](float *to, std::size_t room, std::size_t *count) {
            return pleach_call_floats(call_, index, to, room, count);
        });
    }
    template <class T> key<T> key_of(std::size_t index) const {
        key<T> it;
        check(pleach_call_key(call_, index, &it.raw));
        return it;
    }

    template <class T> T get(std::size_t agent, key<T> key) const {
        pleach_value value = pleach_value();
        check(pleach_call_get(call_, agent, key.raw, &value));
        return detail::type_of<T>::from(value);
    }
    template <class T> void set(std::size_t agent, key<T> key, const T &value) const {
        check(pleach_call_set(call_, agent, key.raw, detail::type_of<T>::to(value)));
    }
    /// Reads and writes a key of all agents: the cheapest way. `to` and `from` have size() values.
    template <class T> void read(key<T> key, T *to) const { check(pleach_call_read(call_, key.raw, to, sizeof(T))); }
    template <class T> void write(key<T> key, const T *from) const {
        check(pleach_call_write(call_, key.raw, from, sizeof(T)));
    }
    void entities(entity *to) const { check(pleach_call_entities(call_, to, sizeof(entity))); }
    entity entity_of(std::size_t agent) const {
        std::vector<entity> all(count_);
        entities(all.data());
        return all.at(agent);
    }

    group_id group_of(std::size_t agent) const {
        group_id it{0};
        check(pleach_call_group(call_, agent, &it));
        return it;
    }
    /// The number of the node of the call, as tree::find() gives it.
    std::uint32_t node() const {
        std::uint32_t it = 0;
        check(pleach_call_node(call_, &it));
        return it;
    }

    float dt(std::size_t agent = 0) const {
        float it = 0;
        check(pleach_call_dt(call_, agent, &it));
        return it;
    }
    double time(std::size_t agent = 0) const {
        double it = 0;
        check(pleach_call_time(call_, agent, &it));
        return it;
    }
    double random(std::size_t agent = 0) const {
        double it = 0;
        check(pleach_call_random(call_, agent, &it));
        return it;
    }
    void sleep(std::size_t agent, float seconds) const { check(pleach_call_sleep(call_, agent, seconds)); }
    /// Whether this tick delivers such an event to the agent.
    bool hears(std::size_t agent, symbol event, pleach_value *payload = nullptr) const {
        return pleach_call_event_of(call_, agent, event.bits, payload) == PLEACH_OK;
    }
    void send(std::size_t from, agent_id to, symbol event, pleach_value payload = pleach_none()) const {
        check(pleach_call_send_event(call_, from, to, event.bits, payload));
    }
    void send(std::size_t from, group_id to, symbol event, pleach_value payload = pleach_none()) const {
        check(pleach_call_send_group_event(call_, from, to, event.bits, payload));
    }
    /// Hands an event to the hooks, at once.
    void emit(std::size_t agent, symbol event, pleach_value payload = pleach_none()) const {
        check(pleach_call_emit_event(call_, agent, event.bits, payload));
    }
    /// Carried out when the call of the runtime ends.
    void spawn(std::size_t agent, tree_id tree, entity entity = entity::none, group_id group = {0}) const {
        pleach_spawn_desc desc = detail::sized<pleach_spawn_desc>();
        desc.entity = static_cast<std::uint64_t>(entity);
        desc.group = group;
        check(pleach_call_spawn(call_, agent, tree, &desc));
    }
    void stop(std::size_t agent) const { check(pleach_call_stop(call_, agent)); }
    void restart(std::size_t agent) const { check(pleach_call_restart(call_, agent)); }
    void despawn(agent_id agent) const { check(pleach_call_despawn(call_, agent)); }

private:
    pleach_call call_;
    const agent_id *agents_;
    std::size_t count_;
    pleach_status *statuses_;
};

namespace detail {

/// What is called for a leaf.
struct leaf {
    std::function<void(batch &)> update;
    std::function<void(batch &)> start;
    std::function<void(batch &, pleach::end)> end;

    static void on_update(void *user, pleach_call call, const pleach_agent *agents, std::size_t count,
        pleach_status *statuses) noexcept {
        batch of(call, agents, count, statuses);
        guarded(of, [&] { static_cast<leaf *>(user)->update(of); });
    }
    static void on_start(void *user, pleach_call call, pleach_agent agent) noexcept {
        pleach_status status = PLEACH_RUNNING;
        batch of(call, &agent, 1, &status);
        guarded(of, [&] { static_cast<leaf *>(user)->start(of); });
    }
    static void on_end(void *user, pleach_call call, pleach_agent agent, pleach_end how) noexcept {
        pleach_status status = PLEACH_RUNNING;
        batch of(call, &agent, 1, &status);
        guarded(of, [&] { static_cast<leaf *>(user)->end(of, static_cast<pleach::end>(how)); });
    }

private:
    /// No exception leaves a callback: the agents of the call fail.
    template <class F> static void guarded(batch &of, F &&call) noexcept {
        try {
            call();
        } catch (const std::exception &it) {
            fail_all(of, it.what());
        } catch (...) {
            fail_all(of, "an exception that is not a std::exception");
        }
    }
    static void fail_all(batch &of, const char *message) noexcept {
        for (std::size_t i = 0; i < of.size(); i++) {
            of.fail(i, message);
        }
    }
};

} // namespace detail

/// A parameter of a leaf.
struct param {
    std::string name;
    pleach_param_type type;
    /// Its default, as a tree would write it; a parameter without one is required.
    std::string default_value;
    bool has_default = false;
    pleach_type key_type = PLEACH_TYPE_NONE;

    param(std::string name, pleach_param_type type) : name(std::move(name)), type(type) {}
    param(std::string name, pleach_param_type type, std::string value)
        : name(std::move(name)), type(type), default_value(std::move(value)), has_default(true) {}
    template <class T> static param key(std::string name) {
        param it(std::move(name), PLEACH_PARAM_KEY);
        it.key_type = detail::type_of<T>::value;
        return it;
    }
};

/// Further options of a leaf.
struct options {
    std::string doc;
    std::function<void(batch &)> start;
    std::function<void(batch &, end)> end;
    /// Parameters that name the keys on which the answer of a condition depends.
    std::vector<std::string> observes;
    float every = 0;
    bool thread_safe = false;
};

/// A leaf that a manifest describes: what is called for it.
struct implementation {
    std::string name;
    std::function<void(batch &)> update;
    options more;
};

/// The leaves of a game.
class registry : public detail::owner<pleach_registry, pleach_registry_free> {
public:
    registry() { check(pleach_registry_new(&handle_)); }

    /// An action that updates all agents of a batch at once: it answers for each.
    void action(const std::string &name, std::initializer_list<param> params, std::function<void(batch &)> update,
        options more = {}) {
        add(name, PLEACH_ACTION, params, std::move(update), std::move(more));
    }
    /// A condition that answers for all agents of a batch at once.
    void condition(const std::string &name, std::initializer_list<param> params, std::function<void(batch &)> test,
        options more = {}) {
        add(name, PLEACH_CONDITION, params, std::move(test), std::move(more));
    }
    /// An action that updates one agent after the other. An exception fails that agent alone.
    template <class F>
    void action_each(const std::string &name, std::initializer_list<param> params, F update, options more = {}) {
        add(name, PLEACH_ACTION, params, each(std::move(update)), std::move(more));
    }
    /// A condition that is evaluated for one agent after the other.
    template <class F>
    void condition_each(const std::string &name, std::initializer_list<param> params, F test, options more = {}) {
        add(name, PLEACH_CONDITION, params, each(std::move(test)), std::move(more));
    }
    void event(const std::string &name, pleach_type payload = PLEACH_TYPE_NONE) {
        check(pleach_registry_event(handle_, name.c_str(), payload));
    }
    /// Whether trees may have events that are not declared.
    void allow_any_event(bool on = true) { check(pleach_registry_allow_any_event(handle_, on)); }
    /// Registers the leaves, events and keys of a manifest. Its leaves say what their parameters are;
    /// `leaves` has their callbacks.
    void add_manifest(const std::string &file, std::string_view text, std::vector<implementation> leaves) {
        std::vector<pleach_leaf_desc> descs;
        for (implementation &it : leaves) {
            pleach_leaf_desc desc = describe(std::move(it.update), it.more);
            desc.name = it.name.c_str();
            descs.push_back(desc);
        }
        check(pleach_registry_manifest(handle_, file.c_str(), text.data(), text.size(), descs.data(), descs.size()));
    }
    std::string manifest() const {
        return detail::written([&](auto write, void *user) { return pleach_registry_to_manifest(handle_, write, user); });
    }

    const detail::shared_leaves &leaves() const noexcept { return leaves_; }

private:
    template <class F> static std::function<void(batch &)> each(F update) {
        return [update = std::move(update)](batch &of) {
            for (std::size_t i = 0; i < of.size(); i++) {
                try {
                    of.answer(i, update(of, i));
                } catch (const std::exception &it) {
                    of.fail(i, it.what());
                } catch (...) {
                    of.fail(i, "an exception that is no std::exception");
                }
            }
        };
    }

    void add(const std::string &name, pleach_leaf_kind kind, std::initializer_list<param> params,
        std::function<void(batch &)> update, options more) {
        std::vector<pleach_param_desc> descs;
        for (const param &it : params) {
            pleach_param_desc desc = detail::sized<pleach_param_desc>();
            desc.name = it.name.c_str();
            desc.type = it.type;
            desc.key_type = it.key_type;
            desc.default_value = it.has_default ? it.default_value.c_str() : nullptr;
            descs.push_back(desc);
        }
        std::vector<const char *> observes;
        for (const std::string &it : more.observes) {
            observes.push_back(it.c_str());
        }
        pleach_leaf_desc desc = describe(std::move(update), more);
        desc.name = name.c_str();
        desc.doc = more.doc.c_str();
        desc.kind = kind;
        desc.params = descs.data();
        desc.param_count = descs.size();
        desc.observes = observes.data();
        desc.observe_count = observes.size();
        check(pleach_registry_leaf(handle_, &desc));
    }

    /// What is called for a leaf. It is kept before it is registered: the registry never knows a leaf
    /// that is gone.
    pleach_leaf_desc describe(std::function<void(batch &)> update, options &more) {
        auto leaf = std::make_unique<detail::leaf>();
        leaf->update = std::move(update);
        leaf->start = std::move(more.start);
        leaf->end = std::move(more.end);
        pleach_leaf_desc desc = detail::sized<pleach_leaf_desc>();
        desc.update = detail::leaf::on_update;
        desc.start = leaf->start ? detail::leaf::on_start : nullptr;
        desc.end = leaf->end ? detail::leaf::on_end : nullptr;
        desc.user = leaf.get();
        desc.every = more.every;
        desc.thread_safe = more.thread_safe;
        leaves_->push_back(std::move(leaf));
        return desc;
    }

    detail::shared_leaves leaves_ = std::make_shared<detail::leaves>();
};

/// A tree.
class tree : public detail::owner<pleach_tree, pleach_tree_free> {
public:
    /// Loads a tree from text. `file` is its name in messages. `warn` receives probable mistakes.
    static tree load(const registry &registry, const std::string &file, std::string_view text,
        const std::function<void(const problem &)> &warn = nullptr) {
        auto tell = [](void *user, const pleach_problem *it) noexcept {
            (*static_cast<const std::function<void(const problem &)> *>(user))(problem::of(*it));
        };
        pleach_tree raw{0};
        check(pleach_tree_load(registry.get(), file.c_str(), text.data(), text.size(),
            warn ? static_cast<void (*)(void *, const pleach_problem *)>(tell) : nullptr,
            const_cast<void *>(static_cast<const void *>(&warn)), &raw));
        return tree(raw, registry.leaves());
    }
    static tree load_baked(const registry &registry, const std::string &file, std::string_view bytes) {
        pleach_tree raw{0};
        check(pleach_tree_load_baked(registry.get(), file.c_str(), bytes.data(), bytes.size(), &raw));
        return tree(raw, registry.leaves());
    }

    tree(pleach_tree raw, detail::shared_leaves leaves) : owner(raw), leaves_(std::move(leaves)) {}

    template <class T> key<T> find_key(const std::string &name) const {
        key<T> it;
        check(pleach_tree_key(handle_, name.c_str(), detail::type_of<T>::value, &it.raw));
        return it;
    }
    std::string name() const {
        return detail::written([&](auto write, void *user) { return pleach_tree_name(handle_, write, user); });
    }
    /// How many nodes it has.
    std::uint32_t size() const {
        std::uint32_t count = 0;
        check(pleach_tree_nodes(handle_, &count));
        return count;
    }
    /// The number of a node, by its name, its id, its path or as "n12".
    std::uint32_t find(const std::string &node) const {
        std::uint32_t it = 0;
        check(pleach_tree_find(handle_, node.c_str(), &it));
        return it;
    }
    std::string draw() const {
        return detail::written([&](auto write, void *user) { return pleach_tree_draw(handle_, write, user); });
    }
    const detail::shared_leaves &leaves() const noexcept { return leaves_; }

private:
    detail::shared_leaves leaves_;
};

/// What is called for Emit and Log nodes. They do not throw.
struct hooks {
    std::function<void(agent_id, symbol, const pleach_value &)> emit;
    std::function<void(agent_id, std::uint32_t node, std::string_view)> log;
    /// Whether they can be called on several threads at once.
    bool thread_safe = false;

    static void on_emit(void *user, agent_id agent, std::uint64_t event, const pleach_value *payload) noexcept {
        symbol name;
        name.bits = event;
        static_cast<hooks *>(user)->emit(agent, name, payload != nullptr ? *payload : pleach_none());
    }
    static void on_log(void *user, agent_id agent, std::uint32_t node, const char *text, std::size_t length) noexcept {
        static_cast<hooks *>(user)->log(agent, node, {text, length});
    }
};

/// The agents of a forest at one moment.
using snapshot = detail::owner<pleach_snapshot, pleach_snapshot_free>;

/// Agents of any number of trees.
class forest : public detail::owner<pleach_forest, pleach_forest_free> {
public:
    explicit forest(std::uint64_t seed) {
        pleach_forest_desc desc = detail::sized<pleach_forest_desc>();
        desc.seed = seed;
        check(pleach_forest_new(&desc, &handle_));
    }

    tree_id add(const tree &tree) {
        tree_id id{0};
        detail::keep(leaves_, tree.leaves());
        check(pleach_forest_add_tree(handle_, tree.get(), &id));
        return id;
    }
    std::string replace(tree_id id, const tree &tree) {
        detail::keep(leaves_, tree.leaves());
        return detail::written([&](auto write, void *user) {
            return pleach_forest_replace_tree(handle_, id, tree.get(), write, user);
        });
    }
    /// Removes a tree with all its agents.
    void remove(tree_id id) { check(pleach_forest_remove_tree(handle_, id)); }
    void hook(hooks it) {
        auto emit = it.emit ? &hooks::on_emit : nullptr;
        auto log = it.log ? &hooks::on_log : nullptr;
        bool safe = it.thread_safe;
        detail::lend(hooks_, std::move(it), emit || log,
            [&](void *user) { return pleach_forest_hooks(handle_, emit, log, user, safe); });
    }
    /// How many agents there are, and the seconds that have passed.
    std::size_t size() const {
        std::size_t count = 0;
        check(pleach_forest_info(handle_, &count, nullptr));
        return count;
    }
    double time() const {
        double seconds = 0;
        check(pleach_forest_info(handle_, nullptr, &seconds));
        return seconds;
    }
    agent_id spawn(tree_id tree, entity entity = entity::none, group_id group = {0}) {
        agent_id agent{0};
        check(spawn(tree, entity, group, agent, std::nothrow));
        return agent;
    }
    pleach_result spawn(tree_id tree, entity entity, group_id group, agent_id &agent, std::nothrow_t) noexcept {
        pleach_spawn_desc desc = detail::sized<pleach_spawn_desc>();
        desc.entity = static_cast<std::uint64_t>(entity);
        desc.group = group;
        return pleach_spawn(handle_, tree, &desc, &agent);
    }
    void despawn(agent_id agent) { check(pleach_despawn(handle_, agent)); }
    void enable(agent_id agent) { check(pleach_enable(handle_, agent)); }
    void disable(agent_id agent) { check(pleach_disable(handle_, agent)); }
    void restart(agent_id agent) { check(pleach_restart(handle_, agent)); }
    void pause(agent_id agent) { check(pleach_pause(handle_, agent)); }
    void unpause(agent_id agent) { check(pleach_unpause(handle_, agent)); }
    pleach::phase phase(agent_id agent) const {
        pleach_phase it = PLEACH_PHASE_OFF;
        check(pleach_agent_phase(handle_, agent, &it));
        return static_cast<pleach::phase>(it);
    }
    /// The numbers of its running leaves, as tree::find() gives them.
    std::vector<std::uint32_t> current(agent_id agent) const {
        return detail::listed<std::uint32_t>([&](std::uint32_t *to, std::size_t room, std::size_t *count) {
            return pleach_current(handle_, agent, to, room, count);
        });
    }
    tree_id tree_of(agent_id agent) const {
        tree_id id{0};
        check(pleach_agent_info(handle_, agent, &id, nullptr));
        return id;
    }
    entity entity_of(agent_id agent) const {
        std::uint64_t bits = 0;
        check(pleach_agent_info(handle_, agent, nullptr, &bits));
        return entity(bits);
    }
    void set_entity(agent_id agent, entity it) {
        check(pleach_set_entity(handle_, agent, static_cast<std::uint64_t>(it)));
    }
    /// It is ticked every n-th frame, and never with 0.
    void set_rate(agent_id agent, std::uint32_t every) { check(pleach_set_rate(handle_, agent, every)); }
    void set_label(agent_id agent, const std::string &label) {
        check(pleach_set_label(handle_, agent, label.c_str()));
    }
    /// Whether it stops when its root has ended.
    void set_stops(agent_id agent, bool stops) { check(pleach_set_stops(handle_, agent, stops)); }

    pleach_tick_report tick(float seconds) {
        pleach_tick_report report = detail::sized<pleach_tick_report>();
        check(pleach_tick(handle_, seconds, &report));
        return report;
    }
    pleach_result tick(float seconds, std::nothrow_t) noexcept { return pleach_tick(handle_, seconds, nullptr); }
    pleach_tick_report tick_within(float seconds, std::uint64_t agents, std::uint64_t microseconds) {
        pleach_tick_report report = detail::sized<pleach_tick_report>();
        check(pleach_tick_within(handle_, seconds, agents, microseconds, &report));
        return report;
    }
    pleach_tick_report tick_parallel(float seconds) {
        pleach_tick_report report = detail::sized<pleach_tick_report>();
        check(pleach_tick_parallel(handle_, seconds, &report));
        return report;
    }

    template <class T> T get(agent_id agent, key<T> key) const {
        T value{};
        check(get(agent, key, value, std::nothrow));
        return value;
    }
    template <class T> pleach_result get(agent_id agent, key<T> key, T &to, std::nothrow_t) const noexcept {
        pleach_value value = pleach_value();
        pleach_result result = pleach_get(handle_, agent, key.raw, &value);
        if (result == PLEACH_OK) {
            to = detail::type_of<T>::from(value);
        }
        return result;
    }
    using owner::get;
    template <class T> void set(agent_id agent, key<T> key, const T &value) {
        check(set(agent, key, value, std::nothrow));
    }
    template <class T> pleach_result set(agent_id agent, key<T> key, const T &value, std::nothrow_t) noexcept {
        return pleach_set(handle_, agent, key.raw, detail::type_of<T>::to(value));
    }
    /// Writes a key of all agents of a tree, in the order of agents(). `from` has as many values.
    template <class T> void write_column(tree_id id, key<T> key, const T *from, std::size_t count) {
        check(pleach_write_column(handle_, id, key.raw, from, sizeof(T), count));
    }
    template <class T> void read_column(tree_id id, key<T> key, T *to, std::size_t count) const {
        check(pleach_read_column(handle_, id, key.raw, to, sizeof(T), count));
    }
    std::vector<agent_id> agents(tree_id id) const {
        return detail::listed<agent_id>([&](agent_id *to, std::size_t room, std::size_t *count) {
            return pleach_agents(handle_, id, to, nullptr, room, count);
        });
    }

    void send(agent_id agent, const std::string &name, pleach_value payload = pleach_none()) {
        check(pleach_send(handle_, agent, name.c_str(), payload));
    }
    void broadcast(const std::string &name, pleach_value payload = pleach_none()) {
        check(pleach_broadcast(handle_, name.c_str(), payload));
    }
    void fill(agent_id agent, const std::string &slot, const std::string &tree) {
        check(pleach_fill(handle_, agent, slot.c_str(), tree.c_str()));
    }
    void fill_all(tree_id id, const std::string &slot, const std::string &tree) {
        check(pleach_fill_all(handle_, id, slot.c_str(), tree.c_str()));
    }

    group_id new_group() {
        group_id group{0};
        check(pleach_group_new(handle_, &group));
        return group;
    }
    void join(agent_id agent, group_id group) { check(pleach_group_join(handle_, agent, group)); }
    void remove(group_id group) { check(pleach_group_remove(handle_, group)); }
    std::vector<agent_id> members(group_id group) const {
        return detail::listed<agent_id>([&](agent_id *to, std::size_t room, std::size_t *count) {
            return pleach_group_members(handle_, group, to, room, count);
        });
    }
    void send(group_id group, const std::string &name, pleach_value payload = pleach_none()) {
        check(pleach_group_send(handle_, group, name.c_str(), payload));
    }
    void fill(group_id group, const std::string &slot, const std::string &tree) {
        check(pleach_group_fill(handle_, group, slot.c_str(), tree.c_str()));
    }
    /// A key of a group, or with id 0 of the forest: by its name without a scope, or as
    /// tree::find_key() gives it.
    template <class T> T get(group_id group, const std::string &name) const {
        pleach_value value = pleach_value();
        check(pleach_group_get(handle_, group, name.c_str(), &value));
        return detail::as<T>(name, value);
    }
    template <class T> void set(group_id group, const std::string &name, const T &value) {
        check(pleach_group_set(handle_, group, name.c_str(), detail::type_of<T>::to(value)));
    }
    template <class T> T get(group_id group, key<T> key) const {
        pleach_value value = pleach_value();
        check(pleach_group_get_key(handle_, group, key.raw, &value));
        return detail::type_of<T>::from(value);
    }
    template <class T> void set(group_id group, key<T> key, const T &value) {
        check(pleach_group_set_key(handle_, group, key.raw, detail::type_of<T>::to(value)));
    }

    std::string explain(agent_id agent) const {
        return detail::written([&](auto write, void *user) { return pleach_explain(handle_, agent, write, user); });
    }
    std::string why_not(agent_id agent, const std::string &node) const {
        return detail::written([&](auto write, void *user) {
            return pleach_why_not(handle_, agent, node.c_str(), write, user);
        });
    }
    std::string save() const {
        return detail::written([&](auto write, void *user) { return pleach_save(handle_, nullptr, 0, write, user); });
    }
    std::string restore(std::string_view bytes) {
        return detail::written([&](auto write, void *user) {
            return pleach_restore(handle_, bytes.data(), bytes.size(), write, user);
        });
    }
    pleach::snapshot snapshot() const {
        pleach_snapshot it{0};
        check(pleach_snapshot_take(handle_, &it));
        return pleach::snapshot(it);
    }
    void rollback(const pleach::snapshot &to) { check(pleach_rollback(handle_, to.get())); }

    /// Traces what agents do: the agents of a list, or all if it is empty. `write` gets whole lines at the
    /// end of each call, and does not throw; without it tracing ends. With `all` each update of a leaf
    /// is among them.
    void trace(detail::lines write, bool all = false, const std::vector<agent_id> &agents = {}) {
        bool on = bool(write);
        detail::lend(trace_, std::move(write), on, [&](void *user) {
            return pleach_trace(handle_, agents.empty() ? nullptr : agents.data(), agents.size(), all,
                on ? &detail::tell_lines : nullptr, user);
        });
    }
    /// Begins a recording: of all, or of the last seconds, in at most `max_bytes` bytes if not 0.
    void record(double last_seconds = 0, std::size_t max_bytes = 0, std::uint32_t keys_every = 0) {
        check(pleach_record(handle_, last_seconds, max_bytes, keys_every));
    }
    void record_file(const std::string &name, std::string_view content) {
        check(pleach_record_file(handle_, name.c_str(), content.data(), content.size()));
    }
    std::string recorded() const {
        return detail::written([&](auto write, void *user) { return pleach_record_write(handle_, write, user); });
    }
    void save_record(const std::string &path) const { check(pleach_record_save(handle_, path.c_str())); }
    void end_record() { check(pleach_record_end(handle_)); }

private:
    friend class library;
    std::vector<detail::shared_leaves> leaves_;
    std::unique_ptr<hooks> hooks_;
    std::unique_ptr<detail::lines> trace_;
};

/// Group keys or global keys that several brains share.
class board : public detail::owner<pleach_board, pleach_board_free> {
public:
    static board of_group(const tree &tree) {
        pleach_board it{0};
        check(pleach_board_of_group(tree.get(), &it));
        return board(it);
    }
    static board of_globals(const tree &tree) {
        pleach_board it{0};
        check(pleach_board_of_globals(tree.get(), &it));
        return board(it);
    }
    /// Updates it to the declarations of a new version of a tree, once its brains have that version.
    void follow(const tree &tree) { check(pleach_board_follow(handle_, tree.get())); }
    /// A key by its name without a scope.
    template <class T> T get(const std::string &name) const {
        pleach_value value = pleach_value();
        check(pleach_board_get(handle_, name.c_str(), &value));
        return detail::as<T>(name, value);
    }
    using owner::get;
    template <class T> void set(const std::string &name, const T &value) {
        check(pleach_board_set(handle_, name.c_str(), detail::type_of<T>::to(value)));
    }
    std::string save() const {
        return detail::written([&](auto write, void *user) { return pleach_board_save(handle_, write, user); });
    }
    void restore(const tree &tree, std::string_view bytes) {
        check(pleach_board_restore(handle_, tree.get(), bytes.data(), bytes.size()));
    }

private:
    using owner::owner;
};

/// One agent without a forest.
class brain : public detail::owner<pleach_brain, pleach_brain_free> {
public:
    brain(const tree &tree, std::uint64_t seed) {
        detail::keep(leaves_, tree.leaves());
        check(pleach_brain_new(tree.get(), seed, nullptr, &handle_));
    }
    /// Success or failure if the root ended, otherwise running.
    status tick(float seconds) {
        pleach_status it = PLEACH_RUNNING;
        check(pleach_brain_tick(handle_, seconds, &it));
        return static_cast<status>(it);
    }
    template <class T> T get(key<T> key) const {
        pleach_value value = pleach_value();
        check(pleach_brain_get(handle_, key.raw, &value));
        return detail::type_of<T>::from(value);
    }
    using owner::get;
    template <class T> void set(key<T> key, const T &value) {
        check(pleach_brain_set(handle_, key.raw, detail::type_of<T>::to(value)));
    }
    void hook(hooks it) {
        auto emit = it.emit ? &hooks::on_emit : nullptr;
        auto log = it.log ? &hooks::on_log : nullptr;
        detail::lend(hooks_, std::move(it), emit || log,
            [&](void *user) { return pleach_brain_hooks(handle_, emit, log, user); });
    }
    void disable() { check(pleach_brain_enable(handle_, 0)); }
    void enable() { check(pleach_brain_enable(handle_, 1)); }
    void restart() { check(pleach_brain_enable(handle_, 2)); }
    void pause() { check(pleach_brain_pause(handle_, 1)); }
    void unpause() { check(pleach_brain_pause(handle_, 0)); }
    pleach::phase phase() const {
        pleach_phase it = PLEACH_PHASE_OFF;
        check(pleach_brain_phase(handle_, &it));
        return static_cast<pleach::phase>(it);
    }
    /// The numbers of its running leaves, as tree::find() gives them.
    std::vector<std::uint32_t> current() const {
        return detail::listed<std::uint32_t>([&](std::uint32_t *to, std::size_t room, std::size_t *count) {
            return pleach_brain_current(handle_, to, room, count);
        });
    }
    /// The agent, as leaves get it.
    agent_id agent() const {
        agent_id it{0};
        check(pleach_brain_info(handle_, &it, nullptr, nullptr, nullptr));
        return it;
    }
    pleach::entity entity() const {
        std::uint64_t bits = 0;
        check(pleach_brain_info(handle_, nullptr, &bits, nullptr, nullptr));
        return pleach::entity(bits);
    }
    double time() const {
        double seconds = 0;
        check(pleach_brain_info(handle_, nullptr, nullptr, &seconds, nullptr));
        return seconds;
    }
    /// How its root ended last; running if it has not.
    status outcome() const {
        pleach_status it = PLEACH_RUNNING;
        check(pleach_brain_info(handle_, nullptr, nullptr, nullptr, &it));
        return static_cast<status>(it);
    }
    void set_entity(pleach::entity it) { check(pleach_brain_set_entity(handle_, static_cast<std::uint64_t>(it))); }
    void set_label(const std::string &label) { check(pleach_brain_set_label(handle_, label.c_str())); }
    /// Whether it stops when its root has ended.
    void set_stops(bool stops) { check(pleach_brain_set_stops(handle_, stops)); }

    void send(const std::string &name, pleach_value payload = pleach_none()) {
        check(pleach_brain_send(handle_, name.c_str(), payload));
    }
    void fill(const std::string &slot, const std::string &tree) {
        check(pleach_brain_fill(handle_, slot.c_str(), tree.c_str()));
    }
    /// Makes it share the keys of a board, which it keeps.
    void share(const board &board) { check(pleach_brain_share(handle_, board.get())); }
    std::string replace(const tree &tree) {
        detail::keep(leaves_, tree.leaves());
        return detail::written([&](auto write, void *user) {
            return pleach_brain_replace_tree(handle_, tree.get(), write, user);
        });
    }
    std::string save() const {
        return detail::written([&](auto write, void *user) { return pleach_brain_save(handle_, write, user); });
    }
    void restore(std::string_view bytes) { check(pleach_brain_restore(handle_, bytes.data(), bytes.size())); }
    /// Takes a snapshot, which the brain keeps until the next one.
    void snapshot() { check(pleach_brain_snapshot(handle_)); }
    void rollback() { check(pleach_brain_rollback(handle_)); }

    std::string explain() const {
        return detail::written([&](auto write, void *user) { return pleach_brain_explain(handle_, write, user); });
    }
    std::string why_not(const std::string &node) const {
        return detail::written([&](auto write, void *user) {
            return pleach_brain_why_not(handle_, node.c_str(), write, user);
        });
    }
    /// As forest::trace() and the functions after it.
    void trace(detail::lines write, bool all = false) {
        bool on = bool(write);
        detail::lend(trace_, std::move(write), on, [&](void *user) {
            return pleach_brain_trace(handle_, all, on ? &detail::tell_lines : nullptr, user);
        });
    }
    void record(double last_seconds = 0, std::size_t max_bytes = 0, std::uint32_t keys_every = 0) {
        check(pleach_brain_record(handle_, last_seconds, max_bytes, keys_every));
    }
    void record_file(const std::string &name, std::string_view content) {
        check(pleach_brain_record_file(handle_, name.c_str(), content.data(), content.size()));
    }
    std::string recorded() const {
        return detail::written([&](auto write, void *user) { return pleach_brain_record_write(handle_, write, user); });
    }
    void save_record(const std::string &path) const { check(pleach_brain_record_save(handle_, path.c_str())); }
    void end_record() { check(pleach_brain_record_end(handle_)); }

private:
    std::vector<detail::shared_leaves> leaves_;
    std::unique_ptr<hooks> hooks_;
    std::unique_ptr<detail::lines> trace_;
};

/// Trees in files that include each other.
class library : public detail::owner<pleach_library, pleach_library_free> {
public:
    /// A library of files in memory, which put() adds.
    library() { check(pleach_library_new(&handle_)); }
    /// A library of a directory.
    explicit library(const std::string &directory) { check(pleach_library_open(directory.c_str(), &handle_)); }

    void put(const std::string &name, std::string_view text) {
        check(pleach_library_put(handle_, name.c_str(), text.data(), text.size()));
    }
    tree load(const registry &registry, const std::string &name) {
        pleach_tree raw{0};
        check(pleach_library_load(handle_, registry.get(), name.c_str(), &raw));
        return tree(raw, registry.leaves());
    }
    /// Loads a tree into a forest, for reload() to replace. A library serves one forest in this way.
    tree_id add(const registry &registry, const std::string &name, forest &forest) {
        tree_id id{0};
        detail::keep(forest.leaves_, registry.leaves());
        check(pleach_library_add_tree(handle_, registry.get(), name.c_str(), forest.get(), &id));
        return id;
    }
    /// Replaces the trees of add() by their new versions. Returns a report as text: nothing if no
    /// file has changed.
    std::string reload(const registry &registry, forest &forest) {
        detail::keep(forest.leaves_, registry.leaves());
        return detail::written([&](auto write, void *user) {
            return pleach_library_reload(handle_, registry.get(), forest.get(), nullptr, write, user);
        });
    }
    /// Hands new versions of the trees of load() to `take`, by the names of their files: for
    /// brain::replace(). Throws the errors of the others, once `take` has received all.
    void poll(const registry &registry, const std::function<void(const std::string &, tree)> &take) {
        struct found {
            const pleach::registry &of;
            std::vector<std::pair<std::string, tree>> trees;
        } all{registry, {}};
        auto note = [](void *user, const char *name, std::size_t length, pleach_tree raw) noexcept {
            auto *to = static_cast<found *>(user);
            to->trees.emplace_back(std::string(name, length), tree(raw, to->of.leaves()));
        };
        pleach_result result = pleach_library_poll(handle_, registry.get(), note, &all);
        std::unique_ptr<error> wrong(result == PLEACH_OK ? nullptr : new error(error::last(result)));
        for (auto &it : all.trees) {
            take(it.first, std::move(it.second));
        }
        if (wrong) {
            throw *wrong;
        }
    }
    /// Adds the texts of all files to the recording of a forest.
    void record(const forest &forest) const { check(pleach_library_record(handle_, forest.get())); }
    /// Probable mistakes in the trees that were loaded.
    std::vector<problem> warnings(const registry &registry) const {
        std::vector<problem> all;
        auto tell = [](void *user, const pleach_problem *it) noexcept {
            static_cast<std::vector<problem> *>(user)->push_back(problem::of(*it));
        };
        check(pleach_library_warnings(handle_, registry.get(), tell, &all));
        return all;
    }
    std::string bake(const registry &registry, const std::string &name) const {
        return detail::written([&](auto write, void *user) {
            return pleach_library_bake(handle_, registry.get(), name.c_str(), write, user);
        });
    }
};

} // namespace pleach

#endif
