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
    /// The one of the call that failed last on this thread.
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

    pleach_result result() const noexcept { return result_; }
    /// All problems, in the order of the file.
    const std::vector<problem> &problems() const noexcept { return *problems_; }
    std::string_view file() const noexcept { return first().file; }
    std::uint32_t line() const noexcept { return first().line; }
    std::uint32_t column() const noexcept { return first().column; }

private:
    error(pleach_result result, std::vector<problem> all)
        : std::runtime_error(pleach_last_message()), result_(result),
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

/// What is known of the C++ type of a key.
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

/// A handle and who frees it.
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

/// A parameter of a leaf, as functions take it: its index in the description.
struct leaf;
using leaves = std::vector<std::unique_ptr<leaf>>;
using shared_leaves = std::shared_ptr<leaves>;

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
    /// The leaf went wrong for an agent: it fails for that one.
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
    /// What it is if it is left out, as a tree would write it; without it, it has to be written.
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

/// What else can be said of a leaf.
struct options {
    std::string doc;
    std::function<void(batch &)> start;
    std::function<void(batch &, end)> end;
    /// Parameters that name the keys on which the answer of a condition depends.
    std::vector<std::string> observes;
    float every = 0;
    bool thread_safe = false;
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
    /// A condition that is asked for one agent after the other.
    template <class F>
    void condition_each(const std::string &name, std::initializer_list<param> params, F test, options more = {}) {
        add(name, PLEACH_CONDITION, params, each(std::move(test)), std::move(more));
    }
    void event(const std::string &name, pleach_type payload = PLEACH_TYPE_NONE) {
        check(pleach_registry_event(handle_, name.c_str(), payload));
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
        auto leaf = std::make_unique<detail::leaf>();
        leaf->update = std::move(update);
        leaf->start = std::move(more.start);
        leaf->end = std::move(more.end);
        pleach_leaf_desc desc = detail::sized<pleach_leaf_desc>();
        desc.name = name.c_str();
        desc.doc = more.doc.c_str();
        desc.kind = kind;
        desc.params = descs.data();
        desc.param_count = descs.size();
        desc.update = detail::leaf::on_update;
        desc.start = leaf->start ? detail::leaf::on_start : nullptr;
        desc.end = leaf->end ? detail::leaf::on_end : nullptr;
        desc.user = leaf.get();
        desc.observes = observes.data();
        desc.observe_count = observes.size();
        desc.every = more.every;
        desc.thread_safe = more.thread_safe;
        // First, so that the registry never knows a leaf that is gone.
        leaves_->push_back(std::move(leaf));
        check(pleach_registry_leaf(handle_, &desc));
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
    std::string draw() const {
        return detail::written([&](auto write, void *user) { return pleach_tree_draw(handle_, write, user); });
    }
    const detail::shared_leaves &leaves() const noexcept { return leaves_; }

private:
    detail::shared_leaves leaves_;
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
        leaves_.push_back(tree.leaves());
        check(pleach_forest_add_tree(handle_, tree.get(), &id));
        return id;
    }
    std::string replace(tree_id id, const tree &tree) {
        leaves_.push_back(tree.leaves());
        return detail::written([&](auto write, void *user) {
            return pleach_forest_replace_tree(handle_, id, tree.get(), write, user);
        });
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
        std::size_t count = 0;
        check(pleach_agents(handle_, id, nullptr, nullptr, 0, &count));
        std::vector<agent_id> all(count);
        check(pleach_agents(handle_, id, all.data(), nullptr, count, nullptr));
        return all;
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
    group_id new_group() {
        group_id group{0};
        check(pleach_group_new(handle_, &group));
        return group;
    }
    void join(agent_id agent, group_id group) { check(pleach_group_join(handle_, agent, group)); }

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

private:
    std::vector<detail::shared_leaves> leaves_;
};

/// One agent without a forest.
class brain : public detail::owner<pleach_brain, pleach_brain_free> {
public:
    brain(const tree &tree, std::uint64_t seed) : leaves_(tree.leaves()) {
        check(pleach_brain_new(tree.get(), seed, nullptr, &handle_));
    }
    /// Success or failure if the root ended, else running.
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
    std::string explain() const {
        return detail::written([&](auto write, void *user) { return pleach_brain_explain(handle_, write, user); });
    }

private:
    detail::shared_leaves leaves_;
};

/// Trees in files that include each other.
class library : public detail::owner<pleach_library, pleach_library_free> {
public:
    /// One of files in memory, which put() adds.
    library() { check(pleach_library_new(&handle_)); }
    /// One of a directory.
    explicit library(const std::string &directory) { check(pleach_library_open(directory.c_str(), &handle_)); }

    void put(const std::string &name, std::string_view text) {
        check(pleach_library_put(handle_, name.c_str(), text.data(), text.size()));
    }
    tree load(const registry &registry, const std::string &name) {
        pleach_tree raw{0};
        check(pleach_library_load(handle_, registry.get(), name.c_str(), &raw));
        return tree(raw, registry.leaves());
    }
    std::string bake(const registry &registry, const std::string &name) const {
        return detail::written([&](auto write, void *user) {
            return pleach_library_bake(handle_, registry.get(), name.c_str(), write, user);
        });
    }
};

} // namespace pleach

#endif
